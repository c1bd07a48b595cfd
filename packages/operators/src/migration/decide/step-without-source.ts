import type { Handover } from '../api.ts';
import { isNameKept, isOfProcess } from '../process-queues.ts';
import { isEnding } from './source-of.ts';
import type { StepName } from './step-name.ts';
import type { Context } from './turn.ts';

/**
 * Where a first handover goes on when the source is lost in a step; undefined: its state is lost, too. The broker has the
 * state as it was at the barrier, and the mirror every message since: nothing is missing.
 */
export function stepWithoutSource(context: Context, step: StepName): StepName | undefined {
  const { status, handover, observed } = context;
  // Its ReplicaSet has made another pod, which would be kept in the place of the shadow.
  if (status.replicaSetUID !== undefined) return undefined;
  if (isOfProcess(status)) {
    // One that was started again would take messages.
    const isEnded = observed.named !== undefined && isEnding(observed.named);
    return isNameKept(status) && isEnded ? OF_PROCESS.get(step) : undefined;
  }
  if (handover.snapshot === undefined) return undefined;
  // An earlier operator made the target after it had resumed the source.
  return step === 'Resume' && handover.to.uid === undefined ? 'CreateShadow' : OF_SNAPSHOT.get(step);
}

const OF_SNAPSHOT: ReadonlyMap<StepName, StepName> = new Map([
  ['Resume', 'Restore'],
  ['CreateShadow', 'CreateShadow'],
  ['Restore', 'Restore'],
  ['CatchUp', 'ApplyMirror'],
  ['Quiesce', 'ApplyMirror'],
  // It is known where the source has stopped, and it is not needed any more.
  ['ApplyRest', 'ApplyRest'],
]);

/** The process stands still from before its checkpoint, and the finalizer keeps its pod, so that there is no other one. */
const OF_PROCESS: ReadonlyMap<StepName, StepName> = new Map([
  ['Checkpoint', 'Checkpoint'],
  ['CreateShadow', 'CreateShadow'],
  ['Attach', 'Attach'],
]);

/** The steps before which the queue was held for the target. */
const HELD: ReadonlySet<StepName> = new Set(['CatchUp', 'Quiesce']);

/** What is recorded when the source is lost: who may have begun before the queue was held for the target. */
export function unheldAt(step: StepName, { from }: Handover): Partial<Handover> {
  return HELD.has(step) && from.uid !== undefined ? { unheld: from.uid } : {};
}
