import { controlQueue, type Fence, type FencedCommand, type Report } from '@kubewright/migratable';
import { type Context, fail, handoverWith, isDone, reportOf, type Turn, wait } from './turn.ts';

/**
 * The numbers of commands. A consumer carries out only what is numbered higher than what it carried out before in the
 * same handover, so what comes late or twice, also from an operator that no longer leads, does nothing.
 */
const FOLLOW = 10;
const FINAL = 2 ** 52;
const STEPS = { barrier: 1, snapshot: 2, resume: 3, quiesce: 4, undo: 9, restore: 1, final: FINAL };
const TAKE_OVER = FINAL + 1;

type StepNumber = keyof typeof STEPS | 'takeOver';
type WithoutFence<C> = C extends Fence ? Omit<C, keyof Fence> : never;

export type PodCommand = {
  /** The pod that is commanded. */
  readonly uid: string | undefined;
  readonly number: StepNumber;
  readonly command: WithoutFence<FencedCommand>;
  /** Default: the pod's control queue. */
  readonly queue?: string;
};

/** The fence of a command in the present handover. */
export function fenceOf({ observed, handover }: Context, step: number): Fence {
  return { migration: observed.migration.metadata.uid, epoch: handover.epoch, step };
}

/** `follow` is numbered by how far it leads: a later one leads further. */
export function followStep(total: number): number {
  return Math.min(FOLLOW + total, FINAL - 1);
}

/** Sends a command once, and gives the report of the pod when it has carried it out. */
export function commandPod(context: Context, order: PodCommand): Turn | Report {
  const { uid, number, command } = order;
  const report = reportOf(context, uid);
  if (uid === undefined || report === undefined) return wait(`no consumer reports from pod ${uid ?? ''}`);
  const fence = fenceOf(context, number === 'takeOver' ? TAKE_OVER : STEPS[number]);
  if (!isHandled(report.handled, fence)) return sent(context, order, uid, fence);
  return report.failure === undefined ? report : fail('CommandFailed', `${command.type}: ${report.failure}`);
}

/**
 * That it was sent is recorded, so that nobody sends it at every look. One that gets lost, as a barrier may with its queue's
 * other messages, is not sent again: the limit of the step undoes the handover.
 */
function sent(context: Context, { command, queue = '' }: PodCommand, uid: string, fence: Fence): Turn {
  const { observed, status, handover } = context;
  const step = status.step ?? '';
  const where = queue === '' ? '' : ` to queue ${queue}, whose consumer has not come to it`;
  const message = `${command.type} is sent${where}`;
  if (handover.sent === step) return wait(message);
  if (isDone(context)) return wait(message, handoverWith(context, { sent: step }));
  const action = {
    type: 'send',
    migration: observed.migration,
    queue: queue === '' ? controlQueue(uid) : queue,
    command: { ...command, ...fence } as FencedCommand,
  } as const;
  return { type: 'act', action };
}

/** Whether a consumer has got as far as `wanted`. */
export function isHandled(handled: Fence | undefined, wanted: Fence): boolean {
  if (handled === undefined || handled.migration !== wanted.migration) return false;
  return handled.epoch > wanted.epoch || (handled.epoch === wanted.epoch && handled.step >= wanted.step);
}

export function isReport(given: Turn | Report): given is Report {
  return 'mode' in given;
}
