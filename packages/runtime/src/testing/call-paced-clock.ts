import { type Clock, createManualClock } from '@kubewright/client';
import type { ApiResponse, Transport } from '@kubewright/kube';

/** A step of time, milliseconds: a small part of every period of a Lease that a test has. */
const TICK_MS = 50;

/** Time that passes as calls are answered: on a busy machine, where they take longer, it is slower. */
export type CallPacedClock = {
  readonly clock: Clock;
  /** Lets one tick pass at most while a call that goes through here waits for its response. */
  readonly pacedBy: (transport: Transport) => Transport;
  /** Lets time pass until `signal` is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>;
};

/**
 * For tests of deadlines, on any server: a component meets them however slow the machine is, and only what the test does to
 * its calls makes it miss them.
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
