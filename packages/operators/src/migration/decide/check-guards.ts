import type { Handover, MigrationStatus, Outcome } from '../api.ts';
import { isOfProcess } from '../process-queues.ts';
import { factsOf, isLost } from './queue-facts.ts';
import { isEnding, isReadyNode, replacementOf, shadowOf, sourceOf } from './source-of.ts';
import { isShadowStaying } from './is-shadow-staying.ts';
import { replicaSetProblem } from './replica-set-problem.ts';
import { rolloutProblem, statefulSetProblem } from './stateful-set-problem.ts';
import { wasRestarted } from './was-restarted.ts';
import { limitIn } from './step-of.ts';
import { isSequential } from '../strategy.ts';
import { stepWithoutSource } from './step-without-source.ts';
import type { StepName } from './step-name.ts';
import { secondsInStep } from './enter-step.ts';
import { isOtherInstance } from './instance-of.ts';
import { type Context, fail, isFirst, promote, type Turn } from './turn.ts';
import { writtenAtBarrier } from './written-at-barrier.ts';

/** Between two handovers nothing matters of the one before: its target may be gone, its mirror full. The shadow has the state. */
const BETWEEN: ReadonlySet<StepName> = new Set(['ResumeShadow', 'DeleteFailedQueues', 'NextHandover']);

/** Steps of a handover before its mirror is there. */
const WITHOUT_MIRROR: ReadonlySet<StepName> = new Set([
  'Lock',
  'KeepTemplate',
  'CreateShadow',
  'ReplaceSource',
  'CreateMirror',
]);

const AT_BARRIER: ReadonlySet<StepName> = new Set(['Barrier', 'Snapshot']);

/** Checks what stops a migration in any step: an abort, a lost pod, a deadline. Undefined: it may go on. */
export function checkGuards(context: Context, step: StepName): Turn | undefined {
  const { status } = context;
  if (status.outcome !== undefined || isConfirmed(status, step)) return undefined;
  const given = isOnlyForward(status) ? undefined : withdrawn(context);
  if (given !== undefined) return given;
  return status.handover === undefined ? undefined : ofHandover(context, status.handover, step);
}

function ofHandover(context: Context, handover: Handover, step: StepName): Turn | undefined {
  if (BETWEEN.has(step)) return ofOwner(context) ?? ofShadow(context);
  return (
    ofOwner(context) ?? ofPods(context, handover, step) ?? ofMirror(context, step) ?? ofTime(context, step)
  );
}

/** Whoever took over has responded since: what becomes of it now is no part of the migration. */
function isConfirmed(status: MigrationStatus, step: StepName): boolean {
  return step === 'DeletePodQueues' && !isOfProcess(status);
}

/** Undone, the state would be lost: the source has handed it over, or is lost. */
function isOnlyForward({ handedOver, sourceLost = false }: MigrationStatus): boolean {
  return handedOver || sourceLost;
}

/** The migration was deleted or aborted. */
function withdrawn({ observed: { migration } }: Context): Turn | undefined {
  if (migration.metadata.deletionTimestamp !== undefined)
    return undo('Aborted', 'Deleted', 'the StatefulMigration was deleted');
  return migration.spec.abort ? undo('Aborted', 'AbortRequested', 'spec.abort is true') : undefined;
}

function undo(phase: Outcome['phase'], reason: string, message: string): Turn {
  return { type: 'undo', outcome: { phase, reason, message } };
}

/** Without an owner that wants the pod, there is no handover. A pod of nobody needs none. */
function ofOwner(context: Context): Turn | undefined {
  const trouble = ownerProblem(context);
  return trouble && undo('Failed', ...trouble);
}

function ownerProblem({ observed, status }: Context) {
  if (status.replicaSetUID !== undefined) return replicaSetProblem(observed);
  if (status.statefulSetUID === undefined) return undefined;
  return (
    statefulSetProblem(observed, observed.migration.spec.sourcePod) ??
    (isOnlyForward(status) ? undefined : rolloutProblem(observed))
  );
}

function ofPods(context: Context, handover: Handover, step: StepName): Turn | undefined {
  if (isSequential(context.status)) return ofSuccessor(context, handover);
  if (isFirst(handover))
    return handover.committed
      ? ofShadow(context)
      : (ofSource(context, step) ?? ofTargetNode(context) ?? ofTarget(context));
  if (handover.committed) return ofReplacement(context);
  return ofShadow(context) ?? ofTarget(context);
}

/** Once the state was taken, the source is not needed any more; whoever is to take over may be replaced until it has. */
function ofSuccessor(context: Context, { committed }: Handover): Turn | undefined {
  if (committed) return ofReplacement(context);
  if (context.status.handedOver) return ofTarget(context);
  const problem = sourceProblem(context);
  return problem === undefined ? ofTargetNode(context) : fail(...problem);
}

/** The state is lost with the source, unless it was taken before. */
function ofSource(context: Context, step: StepName): Turn | undefined {
  const isKnown = context.status.sourceLost === true || mayHaveWritten(context, step);
  const problem = isKnown ? undefined : sourceProblem(context);
  if (problem === undefined) return undefined;
  const without = stepWithoutSource(context, step);
  return without === undefined ? fail(...problem) : promote(without, ...problem);
}

/** What the source has written at the barrier comes on record before anything else; the broker alone knows of it. */
function mayHaveWritten(context: Context, step: StepName): boolean {
  const isAway = context.observed.broker.type === 'unavailable';
  return AT_BARRIER.has(step) && (isAway || writtenAtBarrier(context) !== undefined);
}

function sourceProblem(context: Context): readonly [reason: string, message: string] | undefined {
  const { observed, status, handover } = context;
  const source = sourceOf(observed, status);
  if (source === undefined || isEnding(source)) return ['SourceLost', 'the source pod is gone'];
  return isOtherInstance(context, handover.from)
    ? ['SourceRestarted', 'the consumer of the source pod was started again']
    : undefined;
}

/** While only the shadow has the state, losing the shadow loses the state. */
function ofShadow(context: Context): Turn | undefined {
  const { handover, observed, status } = context;
  const holder = isFirst(handover) ? handover.to : handover.from;
  const shadow = shadowOf(observed);
  const isThere = shadow !== undefined && shadow.metadata.uid === holder.uid;
  // One that stays, and ends, will not stay.
  const isLeaving = isThere && isShadowStaying(status) && (isEnding(shadow) || wasRestarted(shadow, status));
  if (isThere && !isLeaving && !isOtherInstance(context, holder)) return undefined;
  return isSourceWhole(context)
    ? undo('Failed', 'TargetLost', `pod ${holder.pod} went before it took over; the source goes on`)
    : undo('Failed', 'StateLost', `pod ${holder.pod}, which had the state, is gone or was restarted`);
}

/** The source still stands where the shadow does: nobody has told the shadow to go on. */
function isSourceWhole(context: Context): boolean {
  const { observed, status } = context;
  const source = sourceOf(observed, status);
  return status.step === 'AdoptShadow' && source !== undefined && !isEnding(source);
}

/** Before the handover there is another way: the source goes on. */
function ofTargetNode({ observed: { node, migration }, status }: Context): Turn | undefined {
  const { targetNode } = migration.spec;
  if (node === undefined) return fail('TargetNodeMissing', `there is no node ${targetNode} any more`);
  return isReadyNode(node) || status.sourceLost === true
    ? undefined
    : fail('TargetNodeNotReady', `node ${targetNode} is not ready any more`);
}

/** The pod that is to take over. */
function ofTarget(context: Context): Turn | undefined {
  const { observed, status, handover } = context;
  const { to } = handover;
  if (to.uid === undefined) return undefined;
  const isShadow = isFirst(handover) && !isSequential(status);
  const pod = isShadow ? shadowOf(observed) : replacementOf(observed, status);
  if (pod === undefined || pod.metadata.uid !== to.uid || isEnding(pod))
    return fail('TargetLost', `pod ${to.pod} is gone`);
  return isOtherInstance(context, to)
    ? fail('TargetRestarted', `the consumer of pod ${to.pod} was started again`)
    : undefined;
}

/** The replacement has taken over, and has messages that no other pod has: losing it now is like losing the source. */
function ofReplacement(context: Context): Turn | undefined {
  const { observed, status, handover } = context;
  const pod = replacementOf(observed, status);
  // One that ends may be kept by our own finalizer, although nothing of it runs any more.
  if (pod === undefined || pod.metadata.uid !== handover.to.uid || isEnding(pod))
    return undo('Failed', 'StateLost', `pod ${handover.to.pod} was replaced while it took over`);
  return !isOtherInstance(context, handover.to) && !wasRestarted(pod, status)
    ? undefined
    : undo(
        'Failed',
        'RestoredPodRestarted',
        `pod ${handover.to.pod} was restarted in place while it took over, and has lost its state`,
      );
}

/** A mirror that is full has dropped messages, or is about to. Until the handover the source has them all. */
function ofMirror(context: Context, step: StepName): Turn | undefined {
  const { observed, status, handover } = context;
  const { committed, mirror } = handover;
  if (committed || isOfProcess(status) || WITHOUT_MIRROR.has(step)) return undefined;
  const { mirrorLength } = observed.settings;
  const { ready = 0 } = factsOf(context, mirror) ?? {};
  if (ready >= mirrorLength)
    return fail(
      'MirrorFull',
      `queue ${mirror} has ${ready} messages, the most that it keeps (MS2M_MIRROR_LENGTH)`,
    );
  return isLost(context, mirror)
    ? fail('MirrorLost', `queue ${mirror}, which had the messages since the snapshot, is gone`)
    : undefined;
}

function ofTime({ observed, status, now }: Context, step: StepName): Turn | undefined {
  const limit = limitIn(step, status);
  if (limit === undefined) return undefined;
  const { deadlines: { stepSeconds, pauseSeconds } = {} } = observed.migration.spec;
  const given = limit === 'step' ? stepSeconds : pauseSeconds;
  const seconds = given ?? observed.settings[limit];
  return secondsInStep(status, now) > seconds
    ? fail('DeadlineExceeded', `step ${step} took longer than ${seconds} s: ${lastMessage(status)}`)
    : undefined;
}

function lastMessage({ message = 'no progress' }: MigrationStatus): string {
  return message;
}
