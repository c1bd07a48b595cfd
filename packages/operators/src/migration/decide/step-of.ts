import type { Adoption, MigrationStatus, Phase } from '../api.ts';
import type { Settings } from '../settings.ts';
import type { Shown } from './enter-step.ts';
import { attach, checkpoint, removeCheckpoints } from './checkpoint/checkpoint.ts';
import { declareHold, hold, switchOver } from './checkpoint/hold.ts';
import { isOfProcess } from '../process-queues.ts';
import { isShadowStaying } from './is-shadow-staying.ts';
import type { StepName } from './step-name.ts';
import { isOfNobody, isSequential } from '../strategy.ts';
import { adoptShadow, removeSource } from './steps/adopt-shadow.ts';
import { applyRest, catchUp, quiesce, takeOver } from './steps/catch-up.ts';
import { confirm } from './steps/confirm.ts';
import { keepTemplate } from './steps/keep-template.ts';
import { lock } from './steps/lock.ts';
import { nextHandover } from './steps/next-handover.ts';
import {
  createShadow,
  deletePodQueues,
  deleteQueues,
  deleteShadow,
  replaceSource,
  verify,
} from './steps/replace-source.ts';
import { preflight } from './steps/preflight.ts';
import { applyMirror, awaitEnd, markMirror } from './steps/promote-shadow.ts';
import { holdPrimary, stop } from './steps/sequential.ts';
import { barrier, createMirror, declareSnapshot, restore, resume, snapshot } from './steps/snapshot.ts';
import {
  deleteAllQueues,
  removeReplacement,
  removeShadow,
  resumeShadow,
  resumeSource,
  unlock,
} from './steps/resume-source.ts';
import { type Context, isFirst, isWithoutSource, type Turn } from './turn.ts';

type Next = StepName | 'Done' | 'Undone';

type Step = {
  readonly run: (context: Context) => Turn;
  /** What people see; in later handovers it is Finalizing, and this is its `sub`. */
  readonly phase: Phase;
  readonly sub?: string;
  readonly next: By<Next>;
  /** After so many seconds the handover is undone. Absent: it takes what it takes. */
  readonly limit?: By<Limit>;
};

type Limit = keyof Pick<Settings, 'step' | 'pause'>;

const byHandover =
  (first: StepName, later: StepName) =>
  ({ handover }: MigrationStatus): StepName =>
    handover === undefined || isFirst(handover) ? first : later;

const unlessStaying =
  (step: (status: MigrationStatus) => StepName, staying: StepName) =>
  (status: MigrationStatus): StepName =>
    isShadowStaying(status) ? staying : step(status);

/** When the source was lost, and its state was not. */
const unlessLost =
  (step: StepName, lost: StepName) =>
  (status: MigrationStatus): StepName => {
    const { handover } = status;
    return handover !== undefined && isWithoutSource({ status, handover }) ? lost : step;
  };

type By<S extends Next | Limit> = S | ((status: MigrationStatus) => S);

function ofStatus<S extends Next | Limit>(by: By<S>, status: MigrationStatus): S {
  return typeof by === 'string' ? by : by(status);
}

/** Of a process that is not of the SDK, `checkpointed`. */
const byBackend =
  <S extends Next>(snapshot: By<S>, checkpointed: By<S>) =>
  (status: MigrationStatus): S =>
    ofStatus(isOfProcess(status) ? checkpointed : snapshot, status);

/** Where the source ends before its successor starts, `sequential`. */
const byStrategy =
  <S extends Next | Limit>(shadow: By<S>, sequential: By<S>) =>
  (status: MigrationStatus): S =>
    ofStatus(isSequential(status) ? sequential : shadow, status);

/** Where nobody else makes another pod, the operator does. */
const firstOfSequential = (status: MigrationStatus): StepName =>
  isOfNobody(status) ? 'KeepTemplate' : 'DeclareSnapshot';

/** What is left to do when a pod has taken over. */
const afterHandover = unlessStaying(
  byStrategy(byHandover('NextHandover', 'DeleteShadow'), 'DeleteShadow'),
  'RemoveSource',
);

const STEPS: Readonly<Record<StepName, Step>> = {
  Preflight: { run: preflight, phase: 'Pending', next: 'Lock' },
  Lock: {
    run: lock,
    phase: 'Pending',
    next: byBackend(byStrategy('CreateMirror', firstOfSequential), 'DeclareHold'),
  },
  KeepTemplate: { run: keepTemplate, phase: 'Pending', next: 'DeclareSnapshot', limit: 'step' },

  CreateMirror: {
    run: createMirror,
    phase: 'Checkpointing',
    sub: 'PrepareSwap',
    next: 'Barrier',
    limit: 'step',
  },
  Barrier: {
    run: barrier,
    phase: 'Checkpointing',
    sub: 'ReCheckpoint',
    next: 'DeclareSnapshot',
    limit: 'step',
  },
  DeclareSnapshot: {
    run: declareSnapshot,
    phase: 'Checkpointing',
    sub: 'ReCheckpoint',
    next: byStrategy('Snapshot', 'Stop'),
    // The source of Sequential still runs.
    limit: byStrategy('pause', 'step'),
  },
  Stop: { run: stop, phase: 'Checkpointing', next: 'Snapshot', limit: 'pause' },
  Snapshot: {
    run: snapshot,
    phase: 'Checkpointing',
    sub: 'ReCheckpoint',
    next: byStrategy('Resume', 'HoldPrimary'),
    limit: 'pause',
  },
  HoldPrimary: { run: holdPrimary, phase: 'Transferring', next: 'ReplaceSource' },
  Resume: {
    run: resume,
    phase: 'Transferring',
    sub: 'SwapTransfer',
    next: byHandover('CreateShadow', 'ReplaceSource'),
    limit: 'pause',
  },
  CreateShadow: {
    run: createShadow,
    phase: 'Restoring',
    next: byBackend('Restore', 'Attach'),
    limit: 'step',
  },
  ReplaceSource: {
    run: replaceSource,
    phase: 'Restoring',
    sub: 'CreateReplacement',
    next: byBackend('Restore', 'Attach'),
  },
  Restore: {
    run: restore,
    phase: 'Restoring',
    sub: 'CreateReplacement',
    next: byStrategy(unlessLost('CatchUp', 'ApplyMirror'), 'TakeOver'),
    limit: 'step',
  },
  CatchUp: { run: catchUp, phase: 'Replaying', sub: 'MiniReplay', next: 'Quiesce', limit: 'step' },
  Quiesce: { run: quiesce, phase: 'Replaying', sub: 'TrafficSwitch', next: 'ApplyRest', limit: 'pause' },
  ApplyRest: {
    run: applyRest,
    phase: 'Replaying',
    sub: 'TrafficSwitch',
    next: unlessStaying(() => 'TakeOver', 'AdoptShadow'),
    limit: 'pause',
  },
  ApplyMirror: { run: applyMirror, phase: 'Replaying', next: 'AwaitEnd', limit: 'step' },
  // It takes what it takes: a source that may still run must not be overtaken.
  AwaitEnd: { run: awaitEnd, phase: 'Replaying', next: 'MarkMirror' },
  MarkMirror: {
    run: markMirror,
    phase: 'Replaying',
    next: unlessStaying(() => 'TakeOver', 'AdoptShadow'),
    limit: 'step',
  },
  AdoptShadow: { run: adoptShadow, phase: 'Finalizing', next: byBackend('TakeOver', 'SwitchOver') },

  DeclareHold: {
    run: declareHold,
    phase: 'Checkpointing',
    sub: 'PrepareSwap',
    next: 'Hold',
    limit: 'step',
  },
  Hold: { run: hold, phase: 'Checkpointing', sub: 'ReCheckpoint', next: 'Checkpoint', limit: 'pause' },
  Checkpoint: {
    run: checkpoint,
    phase: 'Transferring',
    sub: 'SwapTransfer',
    next: byStrategy(byHandover('CreateShadow', 'ReplaceSource'), 'ReplaceSource'),
    limit: 'step',
  },
  Attach: {
    run: attach,
    phase: 'Restoring',
    sub: 'CreateReplacement',
    next: unlessStaying(() => 'SwitchOver', 'AdoptShadow'),
    limit: 'step',
  },
  SwitchOver: {
    run: switchOver,
    phase: 'Finalizing',
    sub: 'TrafficSwitch',
    next: afterHandover,
  },

  TakeOver: { run: takeOver, phase: 'Finalizing', sub: 'TrafficSwitch', next: 'DeleteQueues' },
  DeleteQueues: {
    run: deleteQueues,
    phase: 'Finalizing',
    sub: 'TrafficSwitch',
    next: afterHandover,
  },
  RemoveSource: { run: removeSource, phase: 'Finalizing', next: byBackend('Verify', 'DeletePodQueues') },
  NextHandover: {
    run: nextHandover,
    phase: 'Finalizing',
    sub: 'PrepareSwap',
    next: byBackend('CreateMirror', 'DeclareHold'),
  },

  ResumeShadow: { run: resumeShadow, phase: 'Finalizing', sub: 'PrepareSwap', next: 'DeleteFailedQueues' },
  DeleteFailedQueues: { run: deleteQueues, phase: 'Finalizing', sub: 'PrepareSwap', next: 'NextHandover' },

  DeleteShadow: { run: deleteShadow, phase: 'Finalizing', next: byBackend('Verify', 'DeletePodQueues') },
  // The queue is held until its consumer is confirmed: one that is started again before that does not take messages.
  DeletePodQueues: {
    run: deletePodQueues,
    phase: 'Finalizing',
    next: byBackend<Next>('Done', 'RemoveCheckpoints'),
  },
  RemoveCheckpoints: { run: removeCheckpoints, phase: 'Finalizing', next: 'Verify' },
  Verify: { run: verify, phase: 'Finalizing', next: 'Confirm' },
  Confirm: { run: confirm, phase: 'Finalizing', next: byBackend<Next>('DeletePodQueues', 'Done') },

  UndoSource: { run: resumeSource, phase: 'Aborting', next: 'UndoReplacement' },
  UndoReplacement: { run: removeReplacement, phase: 'Aborting', next: 'UndoShadow' },
  UndoShadow: { run: removeShadow, phase: 'Aborting', next: 'UndoQueues' },
  UndoQueues: { run: deleteAllQueues, phase: 'Aborting', next: byBackend('UndoLock', 'UndoCheckpoints') },
  UndoCheckpoints: { run: removeCheckpoints, phase: 'Aborting', next: 'UndoLock' },
  UndoLock: { run: unlock, phase: 'Aborting', next: 'Undone' },
};

/** The steps of a later handover in which its target is on its way to be the StatefulSet's pod. */
const ADOPTIONS: ReadonlyMap<StepName, Adoption> = new Map([
  ['Resume', 'transferring'],
  ['Checkpoint', 'transferring'],
  ['ReplaceSource', 'replacing'],
  ['Attach', 'replacing'],
  ['SwitchOver', 'replaying'],
  ['Restore', 'replacing'],
  ['CatchUp', 'replaying'],
  ['Quiesce', 'replaying'],
  ['ApplyRest', 'replaying'],
  ['TakeOver', 'replaying'],
  ['DeleteQueues', 'replaying'],
  ['DeleteShadow', 'adopted'],
  ['DeletePodQueues', 'adopted'],
  ['RemoveCheckpoints', 'adopted'],
  ['Verify', 'adopted'],
  ['Confirm', 'adopted'],
]);

export function stepOf(name: StepName): Step {
  return STEPS[name];
}

export function limitIn(name: StepName, status: MigrationStatus): Limit | undefined {
  const { limit } = STEPS[name];
  return limit === undefined ? undefined : ofStatus(limit, status);
}

/** Under which phase and sub-phase a step is shown. */
export function shownAs(name: StepName, status: MigrationStatus): Shown {
  const { handover, outcome } = status;
  const { phase, sub } = STEPS[name];
  // Where there is no shadow, a later handover is only another attempt.
  const isLater =
    handover !== undefined && !isFirst(handover) && !isSequential(status) && outcome === undefined;
  return isLater ? { phase: 'Finalizing', sub, adoption: ADOPTIONS.get(name) } : { phase };
}
