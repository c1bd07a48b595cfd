import { defined } from '@kubewright/kube';
import { snapshotName } from '../../mirror-name.ts';
import { commandPod, isReport } from '../command-pod.ts';
import { isLost } from '../queue-facts.ts';
import { isSequential } from '../../strategy.ts';
import { commit, storeQueue } from './sequential.ts';
import { type Context, fail, handoverWith, isFirst, next, NEXT, once, type Turn, wait } from '../turn.ts';

/** From here on every message to the source's queue is also kept for the target. */
export function createMirror(context: Context): Turn {
  const { observed, handover } = context;
  return once(context, { type: 'createMirror', migration: observed.migration, mirror: handover.mirror });
}

/**
 * The source stops at a barrier message in its own queue. Messages before it will be in the snapshot, those behind it
 * are also in the mirror; the target skips duplicates by their numbers.
 */
export function barrier(context: Context): Turn {
  const { handover, observed } = context;
  const queue = observed.migration.spec.messageQueueConfig.queueName;
  const { uid } = handover.from;
  // Addressed to this pod: another one must not stop, because it would never be resumed.
  const command = { type: 'pause', ...defined({ pod: uid }) } as const;
  const given = commandPod(context, { uid, number: 'barrier', command, queue });
  if (!isReport(given)) return given;
  return given.mode === 'paused' ? NEXT : wait('waiting for the source to stop');
}

/** Of two consumers one has the state beside it: the queue expires. Not where the source ends. */
export function declareSnapshot(context: Context): Turn {
  const { observed, handover, status } = context;
  const queue = snapshotName(observed.migration, handover.epoch);
  if (isSequential(status)) return storeQueue(context, queue);
  return once(context, { type: 'declareQueue', migration: observed.migration, queue });
}

/** The source writes a snapshot of its state, where it has stopped. If it is not to go on, this is the point of no return. */
export function snapshot(context: Context): Turn {
  const { observed, handover, status } = context;
  const queue = snapshotName(observed.migration, handover.epoch);
  const { uid } = handover.from;
  const given = commandPod(context, { uid, number: 'snapshot', command: { type: 'snapshot', queue } });
  if (!isReport(given)) return given;
  const { snapshot: facts, digest } = given;
  if (facts === undefined || digest === undefined)
    return fail('NoSnapshot', 'the source reports no snapshot');
  if (isSequential(status) && isLost(context, queue)) return snapshotLost(queue);
  const id = `sha256:${facts.sha256}`;
  return next({
    ...(isFirst(context.handover) ? { checkpointID: id } : { reCheckpointID: id }),
    ...handoverWith(context, { snapshot: facts, snapshotDigest: digest }),
    ...(isSequential(status) && { handedOver: true }),
  });
}

/** The source resumes while the target prepares. */
export function resume(context: Context): Turn {
  const { uid, instance } = context.handover.from;
  const command = { type: 'resume', ...defined({ instance }) } as const;
  const given = commandPod(context, { uid, number: 'resume', command });
  if (!isReport(given)) return given;
  return given.mode === 'running' ? NEXT : wait('waiting for the source to go on');
}

/** The target restores the source's state, as it was where the source had stopped. */
export function restore(context: Context): Turn {
  const { handover, status } = context;
  const { snapshot: facts, snapshotDigest, to } = handover;
  const { queueName: primary } = context.observed.migration.spec.messageQueueConfig;
  if (facts === undefined) return fail('NoSnapshot', 'there is no snapshot to restore');
  const given = commandPod(context, {
    uid: to.uid,
    number: 'restore',
    // The shadow has the state but not the pod's name: the StatefulSet's pod must not take messages from it.
    command: {
      type: 'restore',
      snapshot: facts,
      primary,
      hold: isFirst(handover) && !isSequential(status),
    },
  });
  if (!isReport(given)) return isLost(context, facts.queue) ? snapshotLost(facts.queue) : given;
  if (given.digest !== snapshotDigest)
    return fail(
      'DigestMismatch',
      `restored ${given.digest ?? 'nothing'}, but the snapshot was ${snapshotDigest}`,
    );
  if (isSequential(status)) return commit(context, given);
  return next(handoverWith(context, { to: { ...to, instance: given.instance } }));
}

function snapshotLost(queue: string): Turn {
  return fail('SnapshotLost', `queue ${queue}, which had the snapshot, is gone`);
}
