import type { MigrationStatus } from '../api.ts';
import { isOfProcess } from '../process-queues.ts';
import { isOfNobody, isSequential } from '../strategy.ts';
import { isShadowStaying } from './is-shadow-staying.ts';
import { isStandingStill } from './is-standing-still.ts';
import type { StepName } from './step-name.ts';
import { isFirst, isWithoutSource } from './turn.ts';

// What comes next where that depends on what is moved, and how far it is.

export const byHandover =
  (first: StepName, later: StepName) =>
  ({ handover }: MigrationStatus): StepName =>
    handover === undefined || isFirst(handover) ? first : later;

export const unlessStaying =
  (step: (status: MigrationStatus) => StepName, staying: StepName) =>
  (status: MigrationStatus): StepName =>
    isShadowStaying(status) ? staying : step(status);

/** When the source was lost, and its state was not. */
const unlessLost =
  (step: StepName, lost: StepName) =>
  (status: MigrationStatus): StepName => {
    const { handover } = status;
    return handover !== undefined && isWithoutSource({ status, handover }) ? lost : step;
  };

export type By<S extends string> = S | ((status: MigrationStatus) => S);

export function ofStatus<S extends string>(by: By<S>, status: MigrationStatus): S {
  return typeof by === 'string' ? by : by(status);
}

/** Of a process that is not of the SDK, `checkpointed`. */
export const byBackend =
  <S extends string>(snapshot: By<S>, checkpointed: By<S>) =>
  (status: MigrationStatus): S =>
    ofStatus(isOfProcess(status) ? checkpointed : snapshot, status);

/** Where the source ends before its successor starts, `sequential`. */
export const byStrategy =
  <S extends string>(shadow: By<S>, sequential: By<S>) =>
  (status: MigrationStatus): S =>
    ofStatus(isSequential(status) ? sequential : shadow, status);

/** Where nobody else makes another pod, the operator does. */
export const firstOfSequential = (status: MigrationStatus): StepName =>
  isOfNobody(status) ? 'KeepTemplate' : 'DeclareSnapshot';

/** The target is there, and waits; only of a Sequential one, and of one that an earlier operator has begun, the state was taken before. */
export const withTarget = ({ handover }: MigrationStatus): StepName =>
  handover?.snapshot === undefined ? 'CreateMirror' : 'Restore';

/** An earlier operator made the target only now. */
export const unlessMade =
  (step: StepName) =>
  (status: MigrationStatus): StepName =>
    status.handover?.to.uid === undefined ? byHandover('CreateShadow', 'ReplaceSource')(status) : step;

export const withSnapshot = (status: MigrationStatus): StepName =>
  isStandingStill(status) ? 'Restore' : 'Resume';

/** The source was resumed, or lost: the target needs what came since. Else it has all that there is. */
export const withState = (status: MigrationStatus): StepName =>
  isStandingStill(status) ? 'ApplyRest' : unlessLost('CatchUp', 'ApplyMirror')(status);

/** What is left to do when a pod has taken over. */
export const afterHandover = unlessStaying(
  byStrategy(byHandover('NextHandover', 'DeleteShadow'), 'DeleteShadow'),
  'RemoveSource',
);
