import { formatTime } from '@kubewright/kube';
import type { Report } from '@kubewright/migratable';
import type { Handover } from '../../api.ts';
import { transferOf } from '../../checkpoints/checkpoint-of.ts';
import { isOfProcess } from '../../process-queues.ts';
import { STORED_SECONDS, STORING } from '../../brokers/broker.ts';
import { commandPod, isReport } from '../command-pod.ts';
import { secondsInStep } from '../enter-step.ts';
import type { LivePod } from '../observed-migration.ts';
import { factsOf } from '../queue-facts.ts';
import { pendingReason } from '../source-of.ts';
import { type Context, fail, handoverWith, next, NEXT, once, stateLost, type Turn, wait } from '../turn.ts';

// Sequential, of a StatefulSet's pod: one handover, without a shadow. The source has ended when the pod that takes over
// starts, and the broker has the state meanwhile.

/**
 * Where the source ends, only this queue has its state. It does not expire, and the broker has it on disk before the source
 * stops; so has it the queue whose message is going to hold the primary one.
 */
export function storeQueue(context: Context, queue: string): Turn {
  const { observed, status, now } = context;
  if (factsOf(context, queue) === undefined)
    return {
      type: 'act',
      action: { type: 'storeQueues', migration: observed.migration, queue },
      status: { stepTime: formatTime(now) },
    };
  return secondsInStep(status, now) < STORED_SECONDS ? wait(STORING) : NEXT;
}

/** The source stops, and what it has not applied stays in its queue. It goes on only if the migration is undone. */
export function stop(context: Context): Turn {
  const { uid } = context.handover.from;
  const given = commandPod(context, { uid, number: 'barrier', command: { type: 'pause' } });
  if (!isReport(given)) return given;
  return given.mode === 'paused' ? NEXT : wait('waiting for the source to stop');
}

/**
 * Until the pod that takes over is confirmed, a process without the state does not consume: one in a pod that the webhook has
 * not seen.
 */
export function holdPrimary(context: Context): Turn {
  const { observed, handover } = context;
  const { uid } = handover.from;
  if (uid === undefined) return NEXT;
  return once(context, { type: 'holdPrimary', migration: observed.migration, pod: uid });
}

/** Nobody consumes while a source that has ended has no successor: if need be, it starts on another node. */
export function notStarted(context: Context, made: LivePod): Turn {
  const { observed, status } = context;
  const { targetNode } = observed.migration.spec;
  const message = pendingReason(made);
  if (status.targetNodeLost === true) return wait(message);
  const gone = observed.node === undefined ? `there is no node ${targetNode} any more` : undefined;
  if (isBound(context))
    return gone === undefined ? wait(message) : stateLost(`${gone}, which had the checkpoint`);
  const late = isLate(context, made) ? `${message}: too long on node ${targetNode}` : undefined;
  const why = gone ?? late;
  return why === undefined ? wait(message) : fail('TargetNotStarted', why);
}

/** Only the target node has the checkpoint. */
function isBound({ observed: { migration }, status }: Context): boolean {
  return isOfProcess(status) && transferOf(migration.spec) === 'Direct';
}

function isLate({ observed: { migration, settings }, now }: Context, { metadata }: LivePod): boolean {
  const seconds = migration.spec.deadlines?.stepSeconds ?? settings.step;
  return now.getTime() - Date.parse(metadata.creationTimestamp ?? '') > seconds * 1000;
}

/**
 * The source had stopped for good, so what its successor has restored is all that there is to have. A container that starts
 * after the cut has lost the state, and times are whole seconds: the cut is in a later one than that in which the process was
 * there, however late its kubelet says when it has started.
 */
export function commit(context: Context, { instance, digest = '', ...report }: Report): Turn {
  const { handover, now } = context;
  const { watermarks, applied, duplicates, gaps } = report;
  const cut = { watermarks, digest, targetDigest: digest, time: formatTime(now) };
  const restored = { to: { ...handover.to, instance }, cut };
  const message = `pod ${handover.to.pod} has the state`;
  if (handover.cut === undefined) return wait(message, handoverWith(context, restored));
  if (handover.cut.time === cut.time) return wait(message);
  return next({
    ...handoverWith(context, { ...restored, committed: true }),
    messages: { applied, duplicates, gaps, behind: 0 },
  });
}

/** Of the same state, to another pod of the same name. */
export function nextTarget({ epoch, cut: _cut, from, ...kept }: Handover): Handover {
  return { ...kept, epoch: epoch + 1, from, to: { pod: from.pod } };
}
