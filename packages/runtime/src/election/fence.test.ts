import { createClient, createManualClock, withRetry } from '@kubewright/client';
import type { ApiResponse, Transport } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import { RuntimeError } from '../runtime-error.ts';
import { configMap } from '../testing/objects.ts';
import { Fence, withFence } from './fence.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
const key = { namespace: 'ns', name: 'a' };
const write = { type: 'merge', body: {} } as const;

/** A server that counts what reaches it. */
function setUp(answer: () => Promise<ApiResponse> = () => Promise.resolve(ok())) {
  const clock = createManualClock();
  const fence = new Fence(clock, 15_000);
  const sent: string[] = [];
  const bare: Transport = {
    request({ method }) {
      sent.push(method);
      return answer();
    },
    close: () => Promise.resolve(),
  };
  const client = createClient(withRetry(withFence(bare, fence), { clock, random: () => 0 }));
  return { clock, fence, sent, client };
}

const respond = (status: number, headers: Record<string, string>): ApiResponse => ({
  status,
  headers,
  body: (async function* body() {
    yield Buffer.from(JSON.stringify(configMap('a', '1')));
  })(),
});
const ok = (): ApiResponse => respond(200, {});

describe('a fence', () => {
  it('lets nothing be written before a lease is held, and everything be read', async () => {
    const { client, sent } = setUp();
    await expect(client.patch(CONFIG_MAPS, key, write)).rejects.toMatchObject({
      code: 'NotLeading',
      retryable: false,
    });
    await client.get(CONFIG_MAPS, key);
    expect(sent).toEqual(['GET']);
  });

  it('shuts at its deadline, without being told', async () => {
    const { client, clock, fence, sent } = setUp();
    fence.openUntil(clock.monotonic() + 10_000, clock.now() + 10_000);
    await clock.advance(9999);
    await client.patch(CONFIG_MAPS, key, write);
    await clock.advance(1);
    await expect(client.patch(CONFIG_MAPS, key, write)).rejects.toMatchObject({ code: 'NotLeading' });
    expect(sent).toEqual(['PATCH']);
  });

  it('stops the repetition of a call that began while it was open', async () => {
    const { client, clock, fence, sent } = setUp(() =>
      Promise.resolve(respond(429, { 'retry-after': '20' })),
    );
    fence.openUntil(clock.monotonic() + 10_000, clock.now() + 10_000);
    const refused = expect(client.patch(CONFIG_MAPS, key, write)).rejects.toMatchObject({
      code: 'NotLeading',
    });
    await clock.advance(20_000);
    await refused;
    expect(sent).toEqual(['PATCH']);
  });

  it('shuts when the machine slept, which the monotonic clock does not see', () => {
    const clock = createManualClock();
    let slept = 0;
    const fence = new Fence({ ...clock, now: () => clock.now() + slept }, 15_000);
    fence.openUntil(10_000, clock.now() + 10_000);
    expect(fence.isOpen).toBe(true);
    slept = 3_600_000;
    expect(fence.isOpen).toBe(false);
    slept = -3_600_000;
    expect(fence.isOpen).toBe(true);
  });

  it('is quiet when no write can still land', async () => {
    let lose: () => void = () => undefined;
    const { client, clock, fence } = setUp(
      () => new Promise((_, reject) => (lose = () => reject(new RuntimeError('Aborted', 'connection lost')))),
    );
    fence.openUntil(clock.monotonic() + 10_000, clock.now() + 10_000);
    expect(fence.isQuiet).toBe(true);
    const lost = expect(client.patch(CONFIG_MAPS, key, write)).rejects.toThrow('connection lost');
    await clock.advance(0);
    expect(fence.isQuiet).toBe(false);
    lose();
    await lost;
    await clock.advance(14_999);
    expect(fence.isQuiet).toBe(false);
    await clock.advance(1);
    expect(fence.isQuiet).toBe(true);
  });
});
