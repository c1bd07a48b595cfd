import { decisionReport, type Manager, runSteps, type Reconciler, type Steps } from '@kubewright/runtime';
import type { RecordPlace } from '../annotations/object-record.ts';
import { createNotes, type Notes } from './notes.ts';
import { type IsStored, recordSteps } from './record-steps.ts';
import type { ObservedRecord, RecordAction } from './decide-record.ts';

/**
 * Adds the controller that writes notes to parents, on every replica, because each has seen other writes. If two write
 * the same, the second gets a conflict, and then finds nothing to do.
 */
export function addRecords(
  manager: Manager,
  isStored: IsStored,
  place: RecordPlace = 'managedFields',
): Notes & { readonly wake: Parameters<typeof createNotes>[1] } {
  const notes = createNotes(
    () => manager.clock.now(),
    (request) => controller.enqueue(request),
  );
  const controller = manager.addController({
    name: 'drift-records',
    reconciler: recorder(manager, recordSteps(notes, isStored, place), notes),
    sources: [],
    needLeaderElection: false,
    maxConcurrentReconciles: 4,
  });
  return { ...notes, wake: (request) => controller.enqueue(request) };
}

/** Its subjects may have any kind, and it writes no status. */
function recorder(
  manager: Manager,
  steps: Steps<ObservedRecord, RecordAction, never>,
  notes: Notes,
): Reconciler {
  const { client, cache, clock, random } = manager;
  const report = decisionReport(manager.registry);
  return {
    async reconcile(request, context) {
      const io = { client, cache, clock, random, ...context };
      const note = notes.of(request.name);
      const { result } = await runSteps(steps, request, {
        io,
        isNews: () => false,
        record: async () => 'done',
        report: (decision, writes) => report(io, decision, writes),
        notify: () => undefined,
      });
      const isOver = result.requeueAfter === undefined && result.requeue === undefined;
      if (note !== undefined && isOver) notes.drop(request.name, note);
      return result;
    },
  };
}
