import { type Clock, createManualClock } from '@kubewright/client';
import type { ApiResponse, Transport } from '@kubewright/kube';

/** A tick in milliseconds: a small part of every Lease period in the tests. */
const TICK_MS = 50;

/** A clock whose time passes with responses: on a busy machine, where they take longer, it is slower. */
export type CallPacedClock = {
  readonly clock: Clock;
  /** Lets at most one tick pass while a call through this transport waits for its response. */
  readonly pacedBy: (transport: Transport) => Transport;
  /** Lets time pass until `signal` is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>;
};

/**
 * For tests of deadlines, on any server: a component meets them however slow the machine is, and misses them only by the
 * faults that the test injects.
 */
export function createCallPacedClock(): CallPacedClock {
  const clock = createManualClock();
  const underWay = new Set<Promise<unknown>>();
  return {
    clock,
    pacedBy: (transport) => ({
      async request(request) {
        const call = transport.request(request).then(/[?&]watch=/.test(request.path) ? undefined : whole);
        underWay.add(call);
        try {
          return await call;
        } finally {
          underWay.delete(call);
        }
      },
      close: () => transport.close(),
    }),
    async run(signal) {
      while (!signal.aborted) {
        await Promise.allSettled(underWay);
        await clock.advance(TICK_MS);
      }
    },
  };
}

/** A response whose body has arrived. */
async function whole(response: ApiResponse): Promise<ApiResponse> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { ...response, body: replayed(chunks) };
}

async function* replayed(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
