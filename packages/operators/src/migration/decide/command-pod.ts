import { controlQueue, type Fence, type FencedCommand, type Report } from '@kubewright/migratable';
import { pendingReason } from './source-of.ts';
import { AGAIN_SECONDS, secondsSinceSent, sentIn } from './sent.ts';
import { type Context, fail, isDone, reportOf, type Turn, wait } from './turn.ts';

/**
 * Command numbers. A consumer ignores a number that is not higher than its last one in the same handover, so commands
 * that are late or repeated, even from an operator that no longer leads, do nothing.
 */
const FOLLOW = 10;
const FINAL = 2 ** 52;
const STEPS = {
  barrier: 1,
  snapshot: 2,
  resume: 3,
  quiesce: 4,
  undo: 9,
  restore: 1,
  restoreAgain: 2,
  rest: FINAL - 1,
  final: FINAL,
  takeOver: FINAL + 1,
  confirm: FINAL + 2,
};

type StepNumber = keyof typeof STEPS;

/** That of the command which the source itself sends to its successor. */
export const RESTORE: number = STEPS.restore;
type WithoutFence<C> = C extends Fence ? Omit<C, keyof Fence> : never;

export type PodCommand = {
  /** The pod that gets the command. */
  readonly uid: string | undefined;
  readonly number: StepNumber;
  readonly command: WithoutFence<FencedCommand>;
  /** Default: the pod's control queue. */
  readonly queue?: string;
  /** The pod obeys whatever it has handled: somebody else may have sent a command in the name of the migration. */
  readonly exceeds?: boolean;
};

/** The fence of a command in the current handover. */
export function fenceOf({ observed, handover }: Context, step: number): Fence {
  return { migration: observed.migration.metadata.uid, epoch: handover.epoch, step };
}

/** `follow` is numbered by its watermarks: a later one has higher ones. */
export function followStep(total: number): number {
  return Math.min(FOLLOW + total, FINAL - 2);
}

/** Sends a command once, and returns the pod's report once it has handled it. */
export function commandPod(context: Context, order: PodCommand): Turn | Report {
  const { uid, number, command } = order;
  const report = reportOf(context, uid);
  if (uid === undefined || report === undefined) return wait(silenceOf(context, uid));
  const wanted = fenceOf(context, STEPS[number]);
  const fence = order.exceeds === true ? beyond(wanted, report) : wanted;
  if (!isHandled(report.handled, fence)) return sent(context, withToken(order, report), uid, fence);
  return report.failure === undefined ? report : fail('CommandFailed', `${command.type}: ${report.failure}`);
}

/** Of a process that stands still at a command which nobody has sent who leads the migration. */
function beyond(wanted: Fence, { handled, mode }: Report): Fence {
  const isForged = handled !== undefined && mode !== 'running' && isHandled(handled, nextOf(wanted));
  return isForged ? nextOf({ ...handled, migration: wanted.migration }) : wanted;
}

function nextOf({ step, ...fence }: Fence): Fence {
  return step < Number.MAX_SAFE_INTEGER
    ? { ...fence, step: step + 1 }
    : { ...fence, epoch: fence.epoch + 1, step: 1 };
}

/** A queue of the application's messages may hold anything: by the token of its report, the process knows the operator. */
function withToken(order: PodCommand, { token }: Report): PodCommand {
  const { command, queue } = order;
  const isBarrier = queue !== undefined && command.type === 'pause' && token !== undefined;
  return isBarrier ? { ...order, command: { ...command, token } } : order;
}

/** Whether it has handled this command of the handover, or a later one. */
export function hasHandled(context: Context, { handled }: Report, number: StepNumber): boolean {
  return isHandled(handled, fenceOf(context, STEPS[number]));
}

/** Why there is no report, as far as the pod says: one whose container crashes again and again is Running. */
export function silenceOf({ observed: { named, shadow } }: Context, uid: string = ''): string {
  const pod = [named, shadow].find((one) => one?.metadata.uid === uid);
  return pod === undefined
    ? `no consumer reports from pod ${uid}`
    : `no consumer reports yet: ${pendingReason(pod)}`;
}

/**
 * Records that the command was sent. What is lost in another queue than the pod's own, for example a barrier in a queue that
 * loses its messages, is not repeated: the deadline of the step undoes the handover.
 */
function sent(context: Context, { command, queue = '' }: PodCommand, uid: string, fence: Fence): Turn {
  const { migration } = context.observed;
  const where = queue === '' ? '' : ` to queue ${queue}, whose consumer has not come to it`;
  const message = `${command.type} is sent${where}`;
  const since = secondsSinceSent(context);
  if (since !== undefined && (queue !== '' || since < AGAIN_SECONDS)) return wait(message);
  if (isDone(context)) return wait(message, sentIn(context));
  const action = {
    type: 'send',
    migration,
    queue: queue === '' ? controlQueue(uid) : queue,
    command: { ...command, ...fence } as FencedCommand,
  } as const;
  return { type: 'act', action };
}

/** Whether a consumer has handled the command of `wanted`. */
export function isHandled(handled: Fence | undefined, wanted: Fence): boolean {
  if (handled === undefined || handled.migration !== wanted.migration) return false;
  return handled.epoch > wanted.epoch || (handled.epoch === wanted.epoch && handled.step >= wanted.step);
}

export function isReport(given: Turn | Report): given is Report {
  return 'mode' in given;
}
