import type { Adoption, MigrationStatus, Phase } from '../api.ts';
import type { Settings } from '../settings.ts';
import type { Shown } from './enter-step.ts';
import { attach, checkpoint, removeCheckpoints } from './checkpoint/checkpoint.ts';
import { declareHold, hold, switchOver } from './checkpoint/hold.ts';
import {
  afterHandover,
  type By,
  byBackend,
  byHandover,
  byStrategy,
  firstOfSequential,
  ofStatus,
  unlessMade,
  unlessStaying,
  withSnapshot,
  withState,
  withTarget,
} from './of-status.ts';
import { isStandingStill } from './is-standing-still.ts';
import type { StepName } from './step-name.ts';
import { isSequential } from '../strategy.ts';
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
import { type Context, isFirst, type Turn } from './turn.ts';

type Next = StepName | 'Done' | 'Undone';

type Step = {
  readonly run: (context: Context) => Turn;
  /** What people see; in later handovers it is Finalizing, and this is its `sub`. */
  readonly phase: By<Phase>;
  readonly sub?: string;
  readonly next: By<Next>;
  /** After so many seconds the handover is undone. Absent: it takes what it takes. */
  readonly limit?: By<Limit>;
  /** Nobody consumes, or is about to stop: the broker is looked at more often. */
  readonly isUrgent?: true;
};

type Limit = keyof Pick<Settings, 'step' | 'pause'>;

const STEPS: Readonly<Record<StepName, Step>> = {
  Preflight: { run: preflight, phase: 'Pending', next: 'Lock' },
  Lock: {
    run: lock,
    phase: 'Pending',
    next: byBackend(byStrategy('CreateShadow', firstOfSequential), 'DeclareHold'),
  },
  KeepTemplate: { run: keepTemplate, phase: 'Pending', next: 'DeclareSnapshot', limit: 'step' },

  CreateMirror: {
    run: createMirror,
    phase: 'Checkpointing',
    sub: 'PrepareSwap',
    next: 'DeclareSnapshot',
    limit: 'step',
  },
  DeclareSnapshot: {
    run: declareSnapshot,
    phase: 'Checkpointing',
    sub: 'ReCheckpoint',
    next: byStrategy('Barrier', 'Stop'),
    limit: 'step',
  },
  Barrier: {
    run: barrier,
    phase: 'Checkpointing',
    sub: 'ReCheckpoint',
    next: 'Snapshot',
    limit: 'step',
    isUrgent: true,
  },
  Stop: { run: stop, phase: 'Checkpointing', next: 'Snapshot', limit: 'pause', isUrgent: true },
  Snapshot: {
    run: snapshot,
    phase: byStrategy<Phase>('Transferring', 'Checkpointing'),
    sub: 'ReCheckpoint',
    next: byStrategy(withSnapshot, 'HoldPrimary'),
    limit: 'pause',
    isUrgent: true,
  },
  HoldPrimary: { run: holdPrimary, phase: 'Transferring', next: 'ReplaceSource' },
  Resume: {
    run: resume,
    phase: 'Transferring',
    sub: 'SwapTransfer',
    next: unlessMade('Restore'),
    limit: 'pause',
    isUrgent: true,
  },
  CreateShadow: {
    run: createShadow,
    phase: byBackend<Phase>('Pending', 'Restoring'),
    next: byBackend(withTarget, 'Attach'),
    limit: 'step',
  },
  ReplaceSource: {
    run: replaceSource,
    phase: 'Restoring',
    sub: 'CreateReplacement',
    next: byBackend(withTarget, 'Attach'),
  },
  Restore: {
    run: restore,
    phase: 'Restoring',
    sub: 'CreateReplacement',
    next: byStrategy(withState, 'TakeOver'),
    limit: (status) => (isStandingStill(status) ? 'pause' : 'step'),
    isUrgent: true,
  },
  CatchUp: { run: catchUp, phase: 'Replaying', sub: 'MiniReplay', next: 'Quiesce', limit: 'step' },
  Quiesce: {
    run: quiesce,
    phase: 'Replaying',
    sub: 'TrafficSwitch',
    next: 'ApplyRest',
    limit: 'pause',
    isUrgent: true,
  },
  ApplyRest: {
    run: applyRest,
    phase: 'Replaying',
    sub: 'TrafficSwitch',
    next: unlessStaying(() => 'TakeOver', 'AdoptShadow'),
    limit: 'pause',
    isUrgent: true,
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

  TakeOver: {
    run: takeOver,
    phase: 'Finalizing',
    sub: 'TrafficSwitch',
    next: 'DeleteQueues',
    isUrgent: true,
  },
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
    next: byBackend('ReplaceSource', 'DeclareHold'),
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
  ['Checkpoint', 'transferring'],
  ['ReplaceSource', 'replacing'],
  ['CreateMirror', 'transferring'],
  ['DeclareSnapshot', 'transferring'],
  ['Barrier', 'transferring'],
  ['Snapshot', 'transferring'],
  ['Resume', 'transferring'],
  ['Attach', 'replacing'],
  ['SwitchOver', 'replaying'],
  ['Restore', 'replaying'],
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
  const { sub } = STEPS[name];
  const phase = ofStatus(STEPS[name].phase, status);
  // Where there is no shadow, a later handover is only another attempt.
  const isLater =
    handover !== undefined && !isFirst(handover) && !isSequential(status) && outcome === undefined;
  return isLater ? { phase: 'Finalizing', sub, adoption: ADOPTIONS.get(name) } : { phase };
}
