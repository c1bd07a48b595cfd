import { defined, formatTime } from '@kubewright/kube';
import type { SnapshotFacts } from '@kubewright/migratable';
import { snapshotName } from '../../mirror-name.ts';
import { commandPod, isReport, silenceOf } from '../command-pod.ts';
import { isLost } from '../queue-facts.ts';
import { isSequential } from '../../strategy.ts';
import { writtenAtBarrier } from '../written-at-barrier.ts';
import { commit, storeQueue } from './sequential.ts';
import {
  type Context,
  fail,
  handoverWith,
  isFirst,
  next,
  NEXT,
  once,
  reportOf,
  type Turn,
  wait,
} from '../turn.ts';

/**
 * From here on every message to the source's queue is also kept for the target, whose process is there and waits: nothing that
 * takes long comes between the stop of the source and the start of the target. And the queue is held for it: a process that starts
 * without the state, in the place of a source that has stopped, takes no message.
 */
export function createMirror(context: Context): Turn {
  const { observed, handover } = context;
  const { uid } = handover.to;
  if (uid !== undefined && reportOf(context, uid) === undefined) return wait(silenceOf(context, uid));
  const { migration } = observed;
  const holder = isFirst(handover) ? defined({ holder: uid }) : {};
  return once(context, { type: 'createMirror', migration, mirror: handover.mirror, ...holder });
}

/**
 * The source stops at a barrier message in its own queue, and writes its state. Messages before it are in the snapshot, those behind
 * it are also in the mirror; the target skips duplicates by their numbers.
 */
export function barrier(context: Context): Turn {
  const { handover, observed } = context;
  const queue = observed.migration.spec.messageQueueConfig.queueName;
  const { uid } = handover.from;
  // Addressed to this pod: another one must not stop, because it would never be resumed.
  const snapshot = snapshotName(observed.migration, handover.epoch);
  const command = { type: 'pause', snapshot, ...defined({ pod: uid }) } as const;
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

/**
 * The source has written a snapshot of its state where it has stopped, or gets the command to, if it does not do that by itself. If it is not
 * to go on, this is the point of no return. A small state is moved while the source stands still: this is the cut.
 */
export function snapshot(context: Context): Turn {
  const { observed, handover, status } = context;
  const queue = snapshotName(observed.migration, handover.epoch);
  const { uid } = handover.from;
  const given =
    writtenAtBarrier(context) ??
    commandPod(context, { uid, number: 'snapshot', command: { type: 'snapshot', queue } });
  if (!isReport(given)) return given;
  const { snapshot: facts, digest, watermarks } = given;
  if (facts === undefined || digest === undefined)
    return fail('NoSnapshot', 'the source reports no snapshot');
  if (isSequential(status) && isLost(context, queue)) return snapshotLost(queue);
  const id = `sha256:${facts.sha256}`;
  return next({
    ...(isFirst(context.handover) ? { checkpointID: id } : { reCheckpointID: id }),
    ...handoverWith(context, {
      snapshot: facts,
      snapshotDigest: digest,
      ...(isSmall(context, facts) && { cut: { watermarks, digest, time: formatTime(context.now) } }),
    }),
    ...(isSequential(status) && { handedOver: true }),
  });
}

/** The source stands still until the target has it; one that ends has no other way. */
function isSmall({ observed, status }: Context, { bytes }: SnapshotFacts): boolean {
  return !isSequential(status) && bytes <= observed.settings.copyBytes;
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
