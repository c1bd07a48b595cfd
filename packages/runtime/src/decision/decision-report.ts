import { Counter, type Registry } from 'prom-client';
import type { ReconcileContext } from '../controller/reconciler.ts';
import type { Decision } from './decision.ts';

const NAME = 'kubewright_decisions_total';

type DecisionCounter = Counter<'controller' | 'reason'>;

/** One counter per registry. */
const counters = new WeakMap<Registry, DecisionCounter>();

function counterOf(registry: Registry): DecisionCounter {
  let counter = counters.get(registry);
  if (counter === undefined) {
    const help = 'Decisions per controller and reason';
    counter = new Counter({ name: NAME, help, labelNames: ['controller', 'reason'], registers: [registry] });
    counters.set(registry, counter);
  }
  return counter;
}

/** Logs and counts every decision: those that write at level info, the others at debug. */
export function decisionReport(
  registry: Registry,
): (
  context: Pick<ReconcileContext, 'controller' | 'log'>,
  decision: Decision<unknown, unknown>,
  writes: boolean,
) => void {
  const counter = counterOf(registry);
  return ({ controller, log }, { reason, requeueAfter }, writes) => {
    counter.inc({ controller, reason });
    const fields = requeueAfter === undefined ? { reason } : { reason, requeueAfter };
    if (writes) log.info('decided', fields);
    else log.debug('decided', fields);
  };
}
