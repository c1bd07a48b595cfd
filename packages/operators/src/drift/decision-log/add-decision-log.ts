import { decisionReport, type Manager, type Reconciler, runSteps } from '@kubewright/runtime';
import type { ReportedChange } from '../reports/drift-report.ts';
import { createPendingDecisions, type PendingDecisions } from './pending-decisions.ts';
import { logSteps } from './log-steps.ts';

/** How often to look for an object that was being created, and how long. */
const LOOK_AGAIN_MS = 2000;
const GIVE_UP_MS = 60_000;
/** What was decided while the rest was dropped is looked at then. */
const NEXT_MS = 1000;

/** Adds the controller that writes decision logs, on every replica: each has made other decisions. */
export function addDecisionLog(manager: Manager, limit: number): (change: ReportedChange) => void {
  const pending = createPendingDecisions({
    clock: manager.clock,
    limit,
    onNews: (request) => controller.enqueue(request),
  });
  const controller = manager.addController({
    name: 'drift-log',
    reconciler: logWriter(manager, pending, limit),
    sources: [],
    needLeaderElection: false,
    maxConcurrentReconciles: 4,
  });
  return (change) => pending.decided(change);
}

/** Its subjects may have any kind, and it writes no status. */
function logWriter(manager: Manager, all: PendingDecisions, limit: number): Reconciler {
  const { client, cache, clock, random } = manager;
  const report = decisionReport(manager.registry);
  const steps = logSteps(all, limit);
  return {
    async reconcile(request, context) {
      const io = { client, cache, clock, random, ...context };
      const pending = all.of(request.name);
      const { reason, result } = await runSteps(steps, request, {
        io,
        isNews: () => false,
        record: async () => 'done',
        report: (decision, writes) => report(io, decision, writes),
        notify: () => undefined,
      });
      if (pending === undefined) return result;
      // The object may be stored in a moment.
      const isYoung = pending.uid === undefined && clock.monotonic() - pending.since < GIVE_UP_MS;
      if (reason === undefined && isYoung && all.of(request.name) !== undefined)
        return { requeueAfter: LOOK_AGAIN_MS };
      if (result.requeueAfter !== undefined || result.requeue !== undefined) return result;
      all.drop(request.name, pending);
      return all.of(request.name) === undefined ? result : { requeueAfter: NEXT_MS };
    },
  };
}
