import type { Transport } from '@kubewright/kube';
import { turnTimer } from './world/turn-timer.ts';

/**
 * A transport within this process, each of whose requests waits for a turn of the loop of its own. Without that, what follows from one
 * request (watch events, reconciles, their requests) runs in one turn, and requests by sockets wait until all of it is over.
 */
export function inTurns(transport: Transport, order: { last: Promise<void> }): Transport {
  return {
    async request(call) {
      const turn = order.last.then(() => new Promise<void>((resolve) => turnTimer(resolve)));
      order.last = turn;
      await turn;
      return await transport.request(call);
    },
    close: () => transport.close(),
  };
}
