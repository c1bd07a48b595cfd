import { type Clock, createManualClock, sleep, systemClock } from '@kubewright/client';
import type { ApiResponse, Transport } from '@kubewright/kube';

/** A tick in milliseconds: a small part of every Lease period in the tests. */
const TICK_MS = 50;

/** A clock whose time passes with responses: on a busy machine, where they take longer, it is slower. */
export type CallPacedClock = {
  readonly clock: Clock;
  /** Lets at most one tick pass while a call through this transport waits for its response. */
  readonly pacedBy: (transport: Transport) => Transport;
  /** The same for any other call. */
  readonly paced: <T>(call: Promise<T>) => Promise<T>;
  /** Lets time pass until `signal` is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>;
};

export type CallPacedClockOptions = {
  /** It is never faster than real time: for what another program does meanwhile. Default: as fast as responses come. */
  readonly isReal?: boolean;
};

/**
 * For tests of deadlines, on any server: a component meets them however slow the machine is, and misses them only by the
 * faults that the test injects.
 */
export function createCallPacedClock({ isReal = false }: CallPacedClockOptions = {}): CallPacedClock {
  const clock = createManualClock(isReal ? systemClock.now() : undefined);
  const underWay = new Set<Promise<unknown>>();
  const paced: CallPacedClock['paced'] = async (call) => {
    underWay.add(call);
    try {
      return await call;
    } finally {
      underWay.delete(call);
    }
  };
  return {
    clock,
    paced,
    pacedBy: (transport) => ({
      request: (request) =>
        paced(transport.request(request).then(/[?&]watch=/.test(request.path) ? undefined : whole)),
      close: () => transport.close(),
    }),
    async run(signal) {
      while (!signal.aborted) {
        if (isReal) await sleep(systemClock, TICK_MS, signal);
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
