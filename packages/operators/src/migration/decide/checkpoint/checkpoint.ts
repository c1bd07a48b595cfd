import { defined, formatTime } from '@kubewright/kube';
import { checkpointOf } from '../../checkpoints/checkpoint-of.ts';
import type { CheckpointRef, CheckpointState } from '../../checkpoints/node-agents.ts';
import { holdQueues, processControlQueue } from '../../process-queues.ts';
import { secondsInStep } from '../enter-step.ts';
import { isShadowStaying } from '../is-shadow-staying.ts';
import { instanceOf } from '../instance-of.ts';
import { isSequential } from '../../strategy.ts';
import {
  type Context,
  fail,
  handoverWith,
  isFirst,
  isWithoutSource,
  next,
  NEXT,
  once,
  type Turn,
  wait,
} from '../turn.ts';
import { consumersOf } from './hold.ts';
import { hasEnded } from './keep-name.ts';

/** The process is written into an image, while it stands still. */
export function checkpoint(context: Context): Turn {
  const { observed, status, handover } = context;
  const { migration, checkpoint: found } = observed;
  if (found?.type === 'unavailable') return withoutAgent(context, found.message);
  const state = found?.state;
  if (state === undefined) {
    const order = checkpointOf(migration, status, handover.epoch);
    return { type: 'act', action: { type: 'checkpoint', migration, order } };
  }
  switch (state.phase) {
    case 'Running':
      return wait(state.message);
    case 'Failed':
      return isWithoutSource(context)
        ? fail('SourceLost', `the source pod is gone, and there is no checkpoint of it: ${state.message}`)
        : fail(state.reason, state.message);
    case 'Ready':
      return taken(context, state);
  }
}

/** If the source is not to go on, this is the point of no return. */
function taken(
  context: Context,
  { image, sha256, bytes }: Extract<CheckpointState, { readonly phase: 'Ready' }>,
): Turn {
  const id = `sha256:${sha256}`;
  return next({
    ...(isFirst(context.handover) ? { checkpointID: id } : { reCheckpointID: id }),
    ...handoverWith(context, { checkpoint: { image, sha256, bytes } }),
    ...(isSequential(context.status) && { handedOver: true }),
  });
}

/** When the source is lost its node may be, too, with the checkpoint. */
function withoutAgent(context: Context, message: string): Turn {
  const { observed, status, now } = context;
  const isGivenUp = isWithoutSource(context) && secondsInStep(status, now) > observed.settings.pause;
  return isGivenUp
    ? fail('SourceLost', `the source pod is gone, and there is no checkpoint of it: ${message}`)
    : wait(message);
}

/**
 * The restored process is at the hold queue, beside the one that it was made from, and nobody consumes the primary: the point
 * of no return.
 */
export function attach(context: Context): Turn {
  const { handover, now, observed, status } = context;
  const { mirror, from, to, checkpoint: made } = handover;
  const isLost = isWithoutSource(context);
  const isAlone = isLost || isSequential(status);
  if (isLost && observed.named !== undefined && !hasEnded(observed.named))
    return wait(`waiting for pod ${from.pod} to end`);
  if (consumersOf(context) > 0)
    return fail('QueueShared', `the queue has a consumer, but pod ${from.pod} stands still`);
  if (consumersOf(context, mirror) < (isAlone ? 1 : 2))
    return wait(`waiting for the process of pod ${to.pod}`);
  const cut = { watermarks: {}, digest: `sha256:${made?.sha256 ?? ''}`, time: formatTime(now) };
  const instance = instanceOf(context, to.uid);
  return next({
    ...handoverWith(context, { cut, committed: true, to: { ...to, ...defined({ instance }) } }),
    handedOver: true,
  });
}

/** What processes that are gone have left at the broker. */
export function processQueues({ observed, status }: Context): readonly string[] {
  const { migration } = observed;
  const { targetPod = '' } = status;
  const gone = isShadowStaying(status) && status.outcome === undefined ? migration.spec.sourcePod : targetPod;
  return [...holdQueues(migration, status), ...(gone === '' ? [] : [processControlQueue(gone)])];
}

/** Archives and images of all handovers. A node that does not respond keeps its own. */
export function removeCheckpoints(context: Context): Turn {
  const { observed, status, now } = context;
  const { migration, settings } = observed;
  if (status.handover === undefined || status.backend !== 'Checkpoint') return NEXT;
  const refs: readonly CheckpointRef[] = Array.from({ length: status.handover.epoch }, (_, index) =>
    checkpointOf(migration, status, index + 1),
  );
  if (secondsInStep(status, now) <= settings.pause)
    return once(context, { type: 'removeCheckpoints', migration, refs });
  const message = `Not all checkpoints could be deleted: nodes, or the registry, may still have ${refs.map(({ id }) => id).join(', ')}`;
  return { type: 'next', events: [{ type: 'Warning', reason: 'CheckpointLeft', message }] };
}
