import { defined, formatTime } from '@kubewright/kube';
import type { SnapshotFacts, Successor } from '@kubewright/migratable';
import { snapshotName } from '../../mirror-name.ts';
import { commandPod, hasHandled, isReport, RESTORE, silenceOf } from '../command-pod.ts';
import { secondsInStep } from '../enter-step.ts';
import { isLost } from '../queue-facts.ts';
import { AGAIN_SECONDS } from '../sent.ts';
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
  const snapshot = snapshotName(observed.migration, handover.epoch);
  const successor = successorOf(context);
  // Addressed to this pod: another one must not stop, because it would never be resumed.
  const command = { type: 'pause', snapshot, ...defined({ pod: uid, successor }) } as const;
  const given = commandPod(context, { uid, number: 'barrier', command, queue });
  if (!isReport(given)) return given;
  return given.mode === 'paused' ? NEXT : wait('waiting for the source to stop');
}

/** The process that waits has the state before anybody else knows that it was written. */
function successorOf({ handover, observed }: Context): Successor | undefined {
  const { uid: pod } = handover.to;
  return pod === undefined ? undefined : { pod, step: RESTORE, ...restoring({ handover, observed }) };
}

/** The shadow has the state but not the pod's name: the StatefulSet's pod must not take messages from it. */
function restoring({ handover, observed }: Pick<Context, 'handover' | 'observed'>) {
  const { queueName: primary } = observed.migration.spec.messageQueueConfig;
  return { primary, hold: isFirst(handover) };
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
  if (facts === undefined) return fail('NoSnapshot', 'there is no snapshot to restore');
  if (isRestoring(context)) return wait('the target restores the state');
  const given = commandPod(context, {
    uid: to.uid,
    number: isRestoredElse(context) ? 'restoreAgain' : 'restore',
    command: {
      type: 'restore',
      snapshot: facts,
      ...restoring(context),
      ...(isSequential(status) && { hold: false }),
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

/** The source has sent it the command. It may be lost, with a broker that is killed. */
function isRestoring(context: Context): boolean {
  const { handover, status, now } = context;
  const { from, to } = handover;
  const target = reportOf(context, to.uid);
  const isSent = to.uid !== undefined && reportOf(context, from.uid)?.successor === to.uid;
  if (!isSent || (target !== undefined && hasHandled(context, target, 'restore'))) return false;
  return secondsInStep(status, now) < AGAIN_SECONDS;
}

/** A source that was started again at the barrier has sent a state of its own. */
function isRestoredElse(context: Context): boolean {
  const { handover, status } = context;
  const target = reportOf(context, handover.to.uid);
  if (target === undefined || isSequential(status) || !hasHandled(context, target, 'restore')) return false;
  return target.failure !== undefined || target.digest !== handover.snapshotDigest;
}

function snapshotLost(queue: string): Turn {
  return fail('SnapshotLost', `queue ${queue}, which had the snapshot, is gone`);
}
