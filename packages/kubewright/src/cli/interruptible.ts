import type { Transport } from '@kubewright/kube';

/** Ends reads when the signal is aborted. Writes go on: whether one that is broken off was carried out, nobody knows. */
export function interruptible(transport: Transport, signal: AbortSignal): Transport {
  return {
    request(request) {
      if (request.method !== 'GET') return transport.request(request);
      const either = request.signal === undefined ? signal : AbortSignal.any([request.signal, signal]);
      return transport.request({ ...request, signal: either });
    },
    close: () => transport.close(),
  };
}
