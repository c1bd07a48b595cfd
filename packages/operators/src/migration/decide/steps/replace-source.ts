import { controllerOf, isConditionTrue } from '@kubewright/kube';
import { controlQueue, holdQueue, statusQueue } from '@kubewright/migratable';
import { isOfProcess } from '../../process-queues.ts';
import { processQueues } from '../checkpoint/checkpoint.ts';
import { freeName, hasName, keepName } from '../checkpoint/keep-name.ts';
import { isShadowStaying } from '../is-shadow-staying.ts';
import type { LivePod } from '../observed-migration.ts';
import { verifyShadow } from './adopt-shadow.ts';
import { keptTemplate, removeTemplate } from './keep-template.ts';
import { notStarted } from './sequential.ts';
import {
  isEnding,
  isMarked,
  isRunning,
  makerOf,
  pendingReason,
  replacementOf,
  shadowOf,
  sourceOf,
} from '../source-of.ts';
import { isOfNobody, isSequential } from '../../strategy.ts';
import { templateName } from '../../pods/template-revision.ts';
import {
  type Context,
  fail,
  handoverWith,
  isDone,
  next,
  NEXT,
  once,
  stateLost,
  type Turn,
  wait,
} from '../turn.ts';

/** Creates a second pod beside the source, on the target node, which waits for a command before it consumes. */
export function createShadow(context: Context): Turn {
  const { observed, status, handover } = context;
  const { migration, shadow } = observed;
  const ours = shadowOf(observed);
  if (shadow === undefined) {
    const source = likeSource(context);
    if (source === undefined && status.sourceLost === true && status.statefulSetUID !== undefined)
      return wait(
        `waiting for the StatefulSet to make pod ${migration.spec.sourcePod}: its shadow is made like it`,
      );
    if (source === undefined) return fail('SourceLost', 'the source pod is gone');
    // With the checkpoint of this handover, which may not be on record yet.
    return { type: 'act', action: { type: 'createShadow', migration: { ...migration, status }, source } };
  }
  if (ours === undefined)
    return fail('NameTaken', `pod ${shadow.metadata.name} already exists and is not of this migration`);
  if (!isRunning(ours)) return wait(pendingReason(ours));
  return next(handoverWith(context, { to: { ...handover.to, uid: ours.metadata.uid } }));
}

/** The source; if it is lost, the pod that its StatefulSet has made in its place. */
function likeSource({ observed, status }: Context): LivePod | undefined {
  const { named } = observed;
  const { sourceLost = false, statefulSetUID } = status;
  const isSuccessor =
    sourceLost &&
    named !== undefined &&
    controllerOf(named)?.uid === statefulSetUID &&
    statefulSetUID !== undefined;
  return sourceOf(observed, status) ?? (isSuccessor ? named : undefined);
}

/**
 * Deletes the source. The StatefulSet then creates its successor, which the webhook changes: it goes to the target node
 * and waits. A pod that the webhook did not change has no state, and is deleted again.
 */
export function replaceSource(context: Context): Turn {
  const { observed, status, handover } = context;
  const { named } = observed;
  if (named === undefined) return madeBy(context);
  if (isEnding(named)) return freeName(context, named);
  const made = replacementOf(observed, status);
  if (made === undefined) return isForeign(context, named) ? wait(foreign(named)) : makeRoom(context, named);
  if (!isRunning(made)) return isSequential(status) ? notStarted(context, made) : wait(pendingReason(made));
  return next({
    replacementPod: made.metadata.name,
    ...handoverWith(context, { to: { ...handover.to, pod: made.metadata.name, uid: made.metadata.uid } }),
  });
}

function madeBy(context: Context): Turn {
  const { migration } = context.observed;
  const { sourcePod } = migration.spec;
  const { status } = context;
  if (status.replicaSetUID !== undefined)
    return wait(`waiting for ReplicaSet ${status.replicaSetName} to make a pod in the place of ${sourcePod}`);
  if (!isOfNobody(status)) return wait(`waiting for the StatefulSet to make pod ${sourcePod}`);
  const template = keptTemplate(context);
  return template === undefined
    ? wait(
        `ControllerRevision ${templateName(migration)} is gone, and nobody else knows the template of the pod`,
      )
    : // With the handover of this attempt, which may not be on record yet.
      {
        type: 'act',
        action: { type: 'createSuccessor', migration: { ...migration, status }, template },
      };
}

/** A pod without a controller is the source, or made like it; one with a controller has its name for another purpose. */
function isForeign({ status }: Context, pod: LivePod): boolean {
  return isOfNobody(status) && controllerOf(pod) !== undefined;
}

function foreign(pod: LivePod): string {
  return `the name of pod ${pod.metadata.name} is taken by one of a ${controllerOf(pod)?.kind}: waiting for it to end`;
}

function makeRoom(context: Context, pod: LivePod): Turn {
  return keepName(context, pod) ?? { type: 'act', action: { type: 'deletePod', pod }, ...notes(context) };
}

function notes({ observed, status }: Context): Pick<Extract<Turn, { type: 'act' }>, 'events'> {
  const { named, migration } = observed;
  // It waits for the state in a handover that failed.
  if (named !== undefined && isMarked(named, migration, 'restored')) return {};
  // When the source was lost, its StatefulSet made one long before the webhook could have changed it.
  if (named?.metadata.uid === status.sourcePodUID || status.sourceLost === true) return {};
  const why = isOfNobody(status) ? 'by somebody else' : 'the webhook was not called';
  const message = `Pod ${named?.metadata.name} was made without its state: ${why}. It is replaced`;
  return { events: [{ type: 'Warning', reason: 'BlankPodReplaced', message }] };
}

export function deleteQueues(context: Context): Turn {
  const { observed, handover, status } = context;
  // A process at a hold queue may declare it again: they go when all processes but the last are gone.
  if (isOfProcess(status)) return NEXT;
  const { mirror, snapshot } = handover;
  const queues = snapshot === undefined ? [] : [snapshot.queue];
  const { migration } = observed;
  return once(context, { type: 'deleteQueues', migration, queues, ...(!isSequential(status) && { mirror }) });
}

/** The pod that stays has the state: the shadow, the template, and further pods that wait for the state are deleted. */
export function deleteShadow(context: Context): Turn {
  const { surplus: [other] = [], leaving } = context.observed;
  if (other !== undefined) return remove(other);
  if (leaving !== undefined) return wait(`waiting for pod ${leaving.metadata.name} to end`);
  const kept = removeTemplate(context);
  if (kept !== undefined) return kept;
  const shadow = shadowOf(context.observed);
  if (shadow === undefined) return NEXT;
  return isEnding(shadow) ? wait(`waiting for pod ${shadow.metadata.name} to end`) : remove(shadow);
}

function remove(pod: NonNullable<ReturnType<typeof shadowOf>>): Turn {
  return { type: 'act', action: { type: 'deletePod', pod } };
}

/**
 * Deletes the broker queues of consumers that are gone, and what held the queue for them. Reading the broker after it requests a
 * report: a process that waited for that then starts.
 */
export function deletePodQueues(context: Context): Turn {
  const { observed, handover, status } = context;
  const { migration, broker } = observed;
  if (isDone(context) && broker.type === 'unavailable') return wait(broker.message);
  if (isOfProcess(status))
    return once(context, { type: 'deleteQueues', migration, queues: processQueues(context) });
  const gone = [status.sourcePodUID, handover.from.uid].filter((uid) => uid !== undefined);
  const { queueName } = migration.spec.messageQueueConfig;
  const queues = [...gone.flatMap((uid) => [controlQueue(uid), statusQueue(uid)]), holdQueue(queueName)];
  return once(context, { type: 'deleteQueues', migration, queues });
}

/** Verifies that the pod that took over is there to stay. */
export function verify(context: Context): Turn {
  return isShadowStaying(context.status) ? verifyShadow(context) : verifyReplacement(context);
}

/** Who has made it owns it. */
function verifyReplacement({ observed, status, handover }: Context): Turn {
  const { named } = observed;
  const { pod, uid } = handover.to;
  if (named === undefined || named.metadata.uid !== uid || isEnding(named))
    return stateLost(`pod ${pod} was replaced after it had taken over`);
  if (controllerOf(named)?.uid !== makerOf(status))
    return wait(`waiting for its controller to own pod ${pod}`);
  if (!isConditionTrue(named.status?.conditions as never, 'Ready'))
    return wait(`waiting for pod ${pod} to be ready`);
  return hasName(named) ? { type: 'act', action: { type: 'freeName', pod: named } } : NEXT;
}
