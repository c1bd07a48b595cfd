import { afterEach, describe, expect, it } from 'vitest';
import { localError } from '../errors/api-error.ts';
import { createManualClock } from '@kubewright/kube';
import { TEST_CERTIFICATE } from '../testing/test-certificate.ts';
import { startServer, type TestHttp2Server } from '../testing/test-servers.ts';
import { dial } from './dial.ts';
import { Http2Pool } from './http2-pool.ts';
import { Http2Session } from './http2-session.ts';

let server: TestHttp2Server | undefined;
afterEach(() => server?.stop());

describe('a pool whose second connection cannot be made', () => {
  it('fails those who wait for it instead of letting them wait for watches to end', async () => {
    server = await startServer((_request, response) => response.end(), {
      settings: { maxConcurrentStreams: 1 },
    });
    const { url } = server;
    const keepAlive = { clock: createManualClock(), afterMs: 1000, timeoutMs: 1000 };
    let opened = 0;
    const pool = new Http2Pool(async (onGone) => {
      if (++opened > 1) throw localError('ConnectionFailed', 'no second one');
      const { socket } = await dial({ url, ca: TEST_CERTIFICATE }, ['h2']);
      const session = new Http2Session(url, socket, keepAlive, onGone);
      await new Promise((resolve) => session.raw.once('remoteSettings', resolve));
      return session;
    }, 2);
    const first = await pool.acquire();
    await expect(pool.acquire()).rejects.toThrow('no second one');
    pool.release(first);
    expect(await pool.acquire()).toBe(first);
    pool.close();
  });
});
