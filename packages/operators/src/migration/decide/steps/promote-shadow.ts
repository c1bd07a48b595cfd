import { formatTime } from '@kubewright/kube';
import { consumersOf } from '../checkpoint/hold.ts';
import { commandPod, isReport } from '../command-pod.ts';
import { isEnding } from '../source-of.ts';
import { type Context, handoverWith, next, NEXT, type Turn, wait } from '../turn.ts';

// The source is lost after its snapshot. The shadow has restored it, and the mirror has every message since, whoever has
// taken it from the queue: the source, or the pod that was made in its place, which begins without the state.

/** The shadow applies what the mirror has, and whatever comes. */
export function applyMirror(context: Context): Turn {
  const { mirror, to } = context.handover;
  const given = commandPod(context, {
    uid: to.uid,
    number: 'rest',
    command: { type: 'follow', queue: mirror },
  });
  return isReport(given) ? NEXT : given;
}

/**
 * Waits until nobody consumes the queue. Since the shadow was restored the queue is held for it, so who starts later leaves it
 * alone; a pod that may have started before is deleted.
 */
export function awaitEnd(context: Context): Turn {
  const { observed, handover } = context;
  const { named } = observed;
  const { unheld } = handover;
  if (named === undefined || (unheld !== undefined && unheld !== named.metadata.uid)) return NEXT;
  const { uid, name } = named.metadata;
  const status = unheld === uid ? undefined : handoverWith(context, { unheld: uid });
  if (isEnding(named)) return wait(`waiting for pod ${name} to end`, status);
  return { type: 'act', action: { type: 'deletePod', pod: named }, ...(status && { status }) };
}

/**
 * A mark at the end of the mirror: what anybody has taken from the queue is before it. There the shadow stops, and has all of
 * it; what comes after it is in the queue.
 */
export function markMirror(context: Context): Turn {
  const { observed, handover, now } = context;
  const { mirror, to } = handover;
  const { queueName } = observed.migration.spec.messageQueueConfig;
  if (consumersOf(context) > 0) return wait(`waiting for the consumer of queue ${queueName} to end`);
  const given = commandPod(context, {
    uid: to.uid,
    number: 'final',
    command: { type: 'pause', ...(to.uid !== undefined && { pod: to.uid }) },
    queue: mirror,
  });
  if (!isReport(given)) return given;
  const { mode, watermarks, digest, applied, duplicates, gaps } = given;
  if (mode !== 'paused' || digest === undefined) return wait('the target applies the rest');
  const cut = { watermarks, digest, targetDigest: digest, time: formatTime(now) };
  return next({
    ...handoverWith(context, { cut, committed: true }),
    handedOver: true,
    messages: { applied, duplicates, gaps, behind: 0 },
  });
}
