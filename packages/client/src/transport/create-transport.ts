import type { Transport } from '@kubewright/kube';
import { transportClosed } from '../errors/api-error.ts';
import { dial } from './dial.ts';
import { createHttp1Transport } from './create-http1-transport.ts';
import { createHttp2Transport } from './create-http2-transport.ts';
import type { TransportOptions } from './transport-options.ts';

/**
 * Calls an API server over HTTP/2 where it offers that (by ALPN), else over HTTP/1.1. The first connection
 * decides; until there is one, each call tries again.
 */
export function createTransport(options: TransportOptions): Transport {
  let chosen: Promise<Transport> | undefined;
  let closed = false;

  const choose = async (): Promise<Transport> => {
    const dialed = await dial(options, ['h2', 'http/1.1']);
    if (dialed.protocol === 'h2') return createHttp2Transport(options, dialed);
    dialed.socket.destroy();
    return createHttp1Transport(options);
  };
  const transport = (): Promise<Transport> => {
    if (chosen !== undefined) return chosen;
    const attempt = choose();
    chosen = attempt;
    attempt.then(
      (made) => (closed ? made.close() : undefined),
      () => {
        chosen = undefined;
      },
    );
    return attempt;
  };
  let settled: Transport | undefined;
  return {
    async request(request) {
      if (closed) throw transportClosed();
      settled ??= await transport();
      return settled.request(request);
    },
    async close() {
      closed = true;
      await (await chosen?.catch(() => undefined))?.close();
    },
  };
}
