import { END_REPLAY, type ProcessCommand, processControlQueue, startReplay } from '../../process-queues.ts';
import { secondsInStep } from '../enter-step.ts';
import { isEnding, sourceOf } from '../source-of.ts';
import { factsOf } from '../queue-facts.ts';
import { AGAIN_SECONDS, secondsSinceSent, sentIn } from '../sent.ts';
import { type Context, isDone, NEXT, once, type Turn, wait } from '../turn.ts';

/** A plain durable queue: the process declares it again without arguments, and any would be an error. */
export function declareHold(context: Context): Turn {
  const { observed, handover } = context;
  return once(context, { type: 'declarePlainQueue', migration: observed.migration, queue: handover.mirror });
}

/**
 * The process leaves its queue for the hold queue, which is empty. Once it consumes that one, the broker has had its acks, and
 * has back what it had not applied: its queue holds exactly the messages that its state lacks.
 */
export function hold(context: Context): Turn {
  const { handover } = context;
  const { pod } = handover.from;
  if (consumersOf(context, handover.mirror) > 0 && consumersOf(context) === 0) return NEXT;
  const message = `waiting for the process of pod ${pod} to leave its queue`;
  return commanded(context, pod, startReplay(handover.mirror)) ?? wait(message);
}

/** The target consumes the primary queue, which has all messages that its state lacks. */
export function switchOver(context: Context): Turn {
  const { pod } = context.handover.to;
  const given = commanded(context, pod, END_REPLAY);
  if (given !== undefined) return given;
  return consumersOf(context) > 0 ? NEXT : wait(`waiting for the process of pod ${pod} to take the queue`);
}

/**
 * The source goes on, whatever command it had, and so does whichever process has its name by now. It may be down: when it
 * starts again it goes on by itself.
 */
export function releaseSource(context: Context): Turn {
  const { observed, status, now } = context;
  const { sourcePod } = observed.migration.spec;
  const source = sourceOf(observed, status);
  if (secondsInStep(status, now) > observed.settings.step) return NEXT;
  if (source !== undefined && !isEnding(source)) return released(context, sourcePod);
  const isNamed = factsOf(context, processControlQueue(sourcePod)) !== undefined;
  return (
    (isNamed || observed.broker.type !== 'reached' ? commanded(context, sourcePod, END_REPLAY) : undefined) ??
    NEXT
  );
}

/** The shadow goes on: the target of its handover failed. */
export function releaseShadow(context: Context): Turn {
  return released(context, context.handover.from.pod);
}

/** It has read the command, and so will not declare the hold queue again. */
function released(context: Context, pod: string): Turn {
  const given = commanded(context, pod, END_REPLAY);
  if (given !== undefined) return given;
  const isRead = factsOf(context, processControlQueue(pod))?.ready === 0;
  return isRead && consumersOf(context) > 0 ? NEXT : wait(`waiting for the process of pod ${pod} to go on`);
}

/** Sends a command, and again where it is gone and has no effect; undefined: it was sent. Twice does no harm. */
function commanded(context: Context, pod: string, command: ProcessCommand): Turn | undefined {
  const { observed } = context;
  if (observed.broker.type !== 'reached') return wait(observed.broker.message);
  // The time of the last one counts, before anything else: it is unread for a moment, and would be sent at each look otherwise.
  if (isDone(context)) return wait(`${command.type} is sent to pod ${pod}`, sentIn(context));
  const since = secondsSinceSent(context);
  const isUnread = (factsOf(context, processControlQueue(pod))?.ready ?? 0) > 0;
  if (since !== undefined && (isUnread || since < AGAIN_SECONDS)) return undefined;
  const { migration } = observed;
  return { type: 'act', action: { type: 'tell', migration, queue: processControlQueue(pod), command } };
}

/** Of a queue; default: of the primary. */
export function consumersOf({ observed: { broker } }: Context, queue?: string): number {
  if (broker.type !== 'reached') return 0;
  const facts = queue === undefined ? broker.primary : broker.queues?.get(queue);
  return facts?.consumers ?? 0;
}
