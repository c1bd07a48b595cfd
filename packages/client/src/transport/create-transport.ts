import { onAbort, type Transport } from '@kubewright/kube';
import { abortedError, transportClosed } from '../errors/api-error.ts';
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
  const closing = new AbortController();

  const choose = async (): Promise<Transport> => {
    const dialed = await dial(options, ['h2', 'http/1.1'], closing.signal);
    if (dialed.protocol === 'h2') return createHttp2Transport(options, dialed);
    dialed.socket.destroy();
    return createHttp1Transport(options);
  };
  const transport = (): Promise<Transport> => {
    if (chosen !== undefined) return chosen;
    const attempt = choose();
    chosen = attempt;
    attempt.then(
      (made) => (closing.signal.aborted ? made.close() : undefined),
      () => {
        chosen = undefined;
      },
    );
    return attempt;
  };
  let settled: Transport | undefined;
  return {
    async request(request) {
      if (closing.signal.aborted) throw transportClosed();
      settled ??= await untilAborted(transport(), request.signal);
      return settled.request(request);
    },
    async close() {
      closing.abort();
      await (await chosen?.catch(() => undefined))?.close();
    },
  };
}

/** A caller may give up on a connection that others wait for. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(abortedError(signal)));
    void promise.then(resolve, reject).finally(forget);
    if (signal.aborted) reject(abortedError(signal));
  });
}
