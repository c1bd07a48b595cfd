import { NAME_FINALIZER } from '../../api.ts';
import { STORED_SECONDS, STORING } from '../../brokers/broker.ts';
import { isNameKept, processControlQueue, startReplay } from '../../process-queues.ts';
import type { LivePod } from '../observed-migration.ts';
import { factsOf } from '../queue-facts.ts';
import { secondsSinceSent, sentIn } from '../sent.ts';
import { isEnding } from '../source-of.ts';
import { type Context, isDone, type Turn, wait } from '../turn.ts';

/** Puts the finalizer on the pod; undefined: it has it, or needs none. */
export function keepName({ status }: Context, pod: LivePod): Turn | undefined {
  if (!isNameKept(status) || isEnding(pod) || hasName(pod)) return undefined;
  return { type: 'act', action: { type: 'keepName', pod } };
}

/**
 * The pod ends: whichever process gets its name next is to stand still at the hold queue, also one that was made without the
 * state. Its first look is into the control queue, which nobody else reads once the containers of the pod have ended. What is
 * there may be a command that the process has not read before it ended: it goes, with the queue. The new one has to be on the
 * broker's disk, or a broker that is killed would forget the command.
 */
export function freeName(context: Context, pod: LivePod): Turn {
  const { observed, handover } = context;
  const { migration, broker } = observed;
  const { name } = pod.metadata;
  if (!hasName(pod) || !hasEnded(pod)) return wait(`waiting for pod ${name} to end`);
  if (broker.type !== 'reached') return wait(broker.message);
  const queue = processControlQueue(name);
  const since = secondsSinceSent(context);
  if (since !== undefined && factsOf(context, queue)?.ready === 1)
    return since < STORED_SECONDS ? wait(STORING) : { type: 'act', action: { type: 'freeName', pod } };
  if (isDone(context)) return wait(`the successor of pod ${name} has its command`, sentIn(context));
  const command = startReplay(handover.mirror);
  return { type: 'act', action: { type: 'leaveCommand', migration, queue, command } };
}

export function hasName({ metadata: { finalizers = [] } }: LivePod): boolean {
  return finalizers.includes(NAME_FINALIZER);
}

/** No container of it runs, and none will: it is being deleted. */
export function hasEnded({ status, metadata }: LivePod): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  const states = (status?.containerStatuses ?? []).map(({ state }) => state);
  return states.every((state) => state?.running === undefined);
}
