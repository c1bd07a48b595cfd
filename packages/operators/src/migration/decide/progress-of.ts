import { formatTime } from '@kubewright/kube';
import type { MigrationStatus } from '../api.ts';
import { STORED_SECONDS } from '../brokers/broker.ts';
import { isNameKept } from '../process-queues.ts';
import { isShadowStaying } from './is-shadow-staying.ts';
import type { StepName } from './step-name.ts';
import { isOfNobody, isSequential } from '../strategy.ts';

/** The steps of a handover whose target is the shadow, and then the pod of the StatefulSet. */
const handoverBy = (create: StepName): readonly StepName[] => [
  create,
  'CreateMirror',
  'DeclareSnapshot',
  'Barrier',
  'Snapshot',
  'Resume',
  'Restore',
  'CatchUp',
  'Quiesce',
  'ApplyRest',
  'TakeOver',
  'DeleteQueues',
];

const FIRST: readonly StepName[] = ['Lock', ...handoverBy('CreateShadow'), 'NextHandover'];
const LATER: readonly StepName[] = [
  ...handoverBy('ReplaceSource'),
  'DeleteShadow',
  'Verify',
  'Confirm',
  'DeletePodQueues',
];
/** Where the shadow stays. */
const ONLY: readonly StepName[] = [
  'Lock',
  ...handoverBy('CreateShadow').flatMap((step): readonly StepName[] =>
    step === 'TakeOver' ? ['AdoptShadow', step] : [step],
  ),
  'RemoveSource',
  'Verify',
  'Confirm',
  'DeletePodQueues',
];

const SEQUENTIAL: readonly StepName[] = [
  'Lock',
  'KeepTemplate',
  'DeclareSnapshot',
  'Stop',
  'Snapshot',
  'HoldPrimary',
  'ReplaceSource',
  'Restore',
  'TakeOver',
  'DeleteQueues',
  'DeleteShadow',
  'Verify',
  'Confirm',
  'DeletePodQueues',
];

/** What a step takes that waits for no pod: a write, and a look at what the broker has of it. */
const STEP_SECONDS = 0.25;

type Progress = Pick<MigrationStatus, 'progress' | 'estimatedCompletionTime'>;

/**
 * How far a migration is at the beginning of a step: percent of the time, and when it may be completed. Nothing where
 * something is undone, or a handover is retried.
 */
export function progressOf(step: StepName, status: MigrationStatus, now: Date): Progress {
  const left = secondsFrom(step, status);
  return left === undefined ? {} : progressWith(left, status, now);
}

/** The same within CatchUp, which takes `seconds` still. */
export function progressInCatchUp(seconds: number, status: MigrationStatus, now: Date): Progress {
  return progressWith(seconds + (secondsFrom('Quiesce', status) ?? 0), status, now);
}

function progressWith(left: number, { steps = [], progress = 0 }: MigrationStatus, now: Date): Progress {
  const start = Date.parse(steps.find(({ step }) => step !== 'Preflight')?.startTime ?? '');
  const spent = Number.isNaN(start) ? 0 : Math.max(0, (now.getTime() - start) / 1000);
  const percent = Math.floor((100 * spent) / (spent + left));
  return {
    progress: Math.min(99, Math.max(progress, percent)),
    estimatedCompletionTime: formatTime(new Date(now.getTime() + left * 1000)),
  };
}

/** Seconds from the beginning of this step to the end of the migration; undefined: it is on no way to one. */
function secondsFrom(step: StepName, status: MigrationStatus): number | undefined {
  const epoch = status.handover?.epoch ?? 1;
  const [current, after] = stepsOf(status, epoch);
  const at = current.indexOf(step);
  if (status.handover === undefined || at < 0) return undefined;
  const inThis = current.slice(at).map((one) => secondsOf(one, epoch, status));
  const inNext = after.map((one) => secondsOf(one, epoch + 1, status));
  return [...inThis, ...inNext].reduce((sum, one) => sum + one, 0);
}

type Ways = readonly [current: readonly StepName[], after: readonly StepName[]];

function stepsOf(status: MigrationStatus, epoch: number): Ways {
  if (isSequential(status))
    return [SEQUENTIAL.filter((step) => step !== 'KeepTemplate' || isOfNobody(status)), []];
  if (isShadowStaying(status)) return [ONLY, []];
  return epoch === 1 ? [FIRST, LATER] : [LATER, []];
}

/** As long as in the handover before. The pod of the first takes as long to start as the source has. */
function secondsOf(step: StepName, epoch: number, status: MigrationStatus): number {
  const kept = step === 'ReplaceSource' && isNameKept(status) ? STORED_SECONDS : 0;
  return Math.max(STEP_SECONDS, kept + (learned(step, epoch, status) ?? started(step, epoch, status)));
}

function learned(step: StepName, epoch: number, status: MigrationStatus): number | undefined {
  if (step !== 'ReplaceSource') return tookOf(step, epoch - 1, status);
  // A pod has started when its consumer reports, in CreateMirror.
  const isKnown = tookOf('CreateMirror', epoch - 1, status) !== undefined;
  return isKnown ? tookOf('CreateShadow', epoch - 1, status) : undefined;
}

function started(step: StepName, epoch: number, status: MigrationStatus): number {
  const { podStartSeconds = 0 } = status;
  if (step === 'DeclareSnapshot' && isSequential(status)) return STORED_SECONDS;
  if (step === 'CreateShadow' || step === 'ReplaceSource') return podStartSeconds;
  const ran = step === 'CreateMirror' ? tookOf('CreateShadow', epoch, status) : undefined;
  return ran === undefined ? 0 : podStartSeconds - ran;
}

function tookOf(step: StepName, epoch: number, { steps = [] }: MigrationStatus): number | undefined {
  const entry = steps.findLast((one) => one.step === step && one.epoch === epoch);
  if (entry?.completionTime === undefined) return undefined;
  return (Date.parse(entry.completionTime) - Date.parse(entry.startTime)) / 1000;
}
