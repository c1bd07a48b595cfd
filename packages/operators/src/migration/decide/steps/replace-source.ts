import { controllerOf, isConditionTrue } from '@kubewright/kube';
import { controlQueue, holdQueue, statusQueue } from '@kubewright/migratable';
import { isOfProcess } from '../../process-queues.ts';
import { processQueues } from '../checkpoint/checkpoint.ts';
import { freeName, hasName, keepName } from '../checkpoint/keep-name.ts';
import { isShadowStaying } from '../is-shadow-staying.ts';
import type { LivePod } from '../observed-migration.ts';
import { verifyShadow } from './adopt-shadow.ts';
import { notStarted } from './sequential.ts';
import {
  isEnding,
  isMarked,
  isRunning,
  pendingReason,
  replacementOf,
  shadowOf,
  sourceOf,
} from '../source-of.ts';
import { isSequential } from '../../strategy.ts';
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
  const { named, migration } = observed;
  const { sourcePod } = migration.spec;
  if (named === undefined) return wait(`waiting for the StatefulSet to make pod ${sourcePod}`);
  if (isEnding(named)) return freeName(context, named);
  const made = replacementOf(observed, status);
  if (made === undefined)
    return (
      keepName(context, named) ?? {
        type: 'act',
        action: { type: 'deletePod', pod: named },
        ...notes(context),
      }
    );
  if (!isRunning(made)) return isSequential(status) ? notStarted(context, made) : wait(pendingReason(made));
  return next({
    replacementPod: made.metadata.name,
    ...handoverWith(context, { to: { ...handover.to, uid: made.metadata.uid } }),
  });
}

function notes({ observed, status }: Context): Pick<Extract<Turn, { type: 'act' }>, 'events'> {
  const { named, migration } = observed;
  // It waits for the state in a handover that failed.
  if (named !== undefined && isMarked(named, migration, 'restored')) return {};
  // When the source was lost, its StatefulSet made one long before the webhook could have changed it.
  if (named?.metadata.uid === status.sourcePodUID || status.sourceLost === true) return {};
  const message = `Pod ${named?.metadata.name} was made without its state: the webhook was not called. It is replaced`;
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

/** The pod of the StatefulSet has the state: the shadow is deleted. */
export function deleteShadow({ observed }: Context): Turn {
  const shadow = shadowOf(observed);
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

/** The StatefulSet owns it. */
function verifyReplacement({ observed, status, handover }: Context): Turn {
  const { named, migration } = observed;
  const { sourcePod } = migration.spec;
  if (named === undefined || named.metadata.uid !== handover.to.uid || isEnding(named))
    return stateLost(`pod ${sourcePod} was replaced after it had taken over`);
  if (controllerOf(named)?.uid !== status.statefulSetUID)
    return wait(`waiting for the StatefulSet to own pod ${sourcePod}`);
  if (!isConditionTrue(named.status?.conditions as never, 'Ready'))
    return wait(`waiting for pod ${sourcePod} to be ready`);
  return hasName(named) ? { type: 'act', action: { type: 'freeName', pod: named } } : NEXT;
}
