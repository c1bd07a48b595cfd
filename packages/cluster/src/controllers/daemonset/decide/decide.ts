import { nextAvailability } from '../../workloads/pod-state.ts';
import type { DaemonSetDecision, Observed, Work } from './daemon-set-decision.ts';
import { manage } from './manage.ts';
import { fitOf } from './node-fit.ts';
import { podsByNode } from './pods-by-node.ts';
import { rollingUpdate } from './rolling-update.ts';
import { statusOf } from './status-of.ts';

const NO_WORK: Work = { create: [], remove: [] };

/**
 * The next step of one DaemonSet: the right pods on the right nodes first, and when nothing is to be done about that,
 * the update. `now` is in milliseconds.
 */
export function decide(observed: Observed, now: number): DaemonSetDecision {
  const { set, pods } = observed;
  const circumstances = { there: podsByNode(pods), fit: fitOf(set), now };
  const { wait, events, failedOn, ...managed } = manage(observed, circumstances);
  const settled = managed.create.length + managed.remove.length === 0;
  const rolls = settled && set.spec.updateStrategy?.type === 'RollingUpdate';
  const rolled = rolls ? rollingUpdate(observed, circumstances) : NO_WORK;
  const status = statusOf(observed, circumstances);
  const waits = [wait, nextAvailability(pods, set.spec.minReadySeconds ?? 0, now)].flatMap(
    (one) => one ?? [],
  );
  return {
    ...(settled ? rolled : managed),
    events,
    failedOn,
    status,
    ...(waits.length === 0 ? {} : { requeueAfter: Math.min(...waits) }),
  };
}
