import { snapshotName } from '../../mirror-name.ts';
import { commandPod, isReport } from '../command-pod.ts';
import { type Context, fail, handoverWith, isFirst, next, NEXT, once, type Turn, wait } from '../turn.ts';

/** From now on every message that the source's queue gets is kept for the target too. */
export function createMirror(context: Context): Turn {
  const { observed, handover } = context;
  return once(context, { type: 'createMirror', migration: observed.migration, mirror: handover.mirror });
}

/**
 * The source stops at a mark in its own queue. What is before the mark will be in the snapshot, what is behind it is in
 * the mirror too; what is in both the target knows by its number.
 */
export function barrier(context: Context): Turn {
  const { handover, observed } = context;
  const queue = observed.migration.spec.messageQueueConfig.queueName;
  const { uid } = handover.from;
  // Whoever comes after this pod is not to stop: nobody would tell it to go on.
  const command = { type: 'pause', ...(uid === undefined ? {} : { pod: uid }) } as const;
  const given = commandPod(context, { uid, number: 'barrier', command, queue });
  if (!isReport(given)) return given;
  return given.mode === 'paused' ? NEXT : wait('waiting for the source to stop');
}

export function declareSnapshot(context: Context): Turn {
  const { migration } = context.observed;
  const queue = snapshotName(migration, context.handover.epoch);
  return once(context, { type: 'declareQueue', migration, queue });
}

/** The source writes its state down; it is what it was at the barrier. */
export function snapshot(context: Context): Turn {
  const { observed, handover } = context;
  const queue = snapshotName(observed.migration, handover.epoch);
  const { uid } = handover.from;
  const given = commandPod(context, { uid, number: 'snapshot', command: { type: 'snapshot', queue } });
  if (!isReport(given)) return given;
  const { snapshot: facts, digest } = given;
  if (facts === undefined || digest === undefined)
    return fail('NoSnapshot', 'the source reports no snapshot');
  return next(handoverWith(context, { snapshot: facts, snapshotDigest: digest }));
}

/** The source goes on while the target gets ready. */
export function resume(context: Context): Turn {
  const { uid } = context.handover.from;
  const given = commandPod(context, { uid, number: 'resume', command: { type: 'resume' } });
  if (!isReport(given)) return given;
  return given.mode === 'running' ? NEXT : wait('waiting for the source to go on');
}

/** The target becomes what the source was at the barrier. */
export function restore(context: Context): Turn {
  const { handover } = context;
  const { snapshot: facts, snapshotDigest, to } = handover;
  if (facts === undefined) return fail('NoSnapshot', 'there is no snapshot to restore');
  const given = commandPod(context, {
    uid: to.uid,
    number: 'restore',
    // The shadow has the state without the name: what the StatefulSet makes under it must not take a message from it.
    command: { type: 'restore', snapshot: facts, hold: isFirst(handover) },
  });
  if (!isReport(given)) return given;
  if (given.digest !== snapshotDigest)
    return fail(
      'DigestMismatch',
      `restored ${given.digest ?? 'nothing'}, but the snapshot was ${snapshotDigest}`,
    );
  return next(handoverWith(context, { to: { ...to, instance: given.instance } }));
}
