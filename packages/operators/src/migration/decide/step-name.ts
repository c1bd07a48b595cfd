/** What a migration does, in the order in which it does it; the steps of a handover twice. */
export const STEP_NAMES = [
  'Preflight',
  'Lock',
  // Sequential, of a pod without a controller: what the operator makes the next one from.
  'KeepTemplate',
  // A handover: the first from the source to the shadow, every later one from the shadow to the StatefulSet's pod.
  // Without a StatefulSet there is one, and the shadow is the pod that stays (`AdoptShadow`, `RemoveSource`).
  'CreateMirror',
  'Barrier',
  'DeclareSnapshot',
  // Sequential: in the place of the mirror and the barrier, as the source goes on no more.
  'Stop',
  'Snapshot',
  'Resume',
  // Sequential: in its place. The next step is ReplaceSource.
  'HoldPrimary',
  'CreateShadow',
  'ReplaceSource',
  'Restore',
  'CatchUp',
  'Quiesce',
  'ApplyRest',
  // In the place of those from CatchUp to ApplyRest, when the source was lost and its state was not.
  'ApplyMirror',
  'AwaitEnd',
  'MarkMirror',
  'AdoptShadow',
  'TakeOver',
  'DeleteQueues',
  'NextHandover',
  // A handover of a process that is not of the SDK: these, in the place of those from CreateMirror to Resume, of Restore to
  // ApplyRest, and of TakeOver.
  'DeclareHold',
  'Hold',
  'Checkpoint',
  'Attach',
  'SwitchOver',
  'RemoveSource',
  // A later handover that failed: the shadow goes on, and then there is another one.
  'ResumeShadow',
  'DeleteFailedQueues',
  'DeleteShadow',
  'DeletePodQueues',
  'RemoveCheckpoints',
  'Verify',
  'Confirm',
  // The first handover failed, or is not wanted any more.
  'UndoSource',
  'UndoReplacement',
  'UndoShadow',
  'UndoQueues',
  'UndoCheckpoints',
  'UndoLock',
] as const;

export type StepName = (typeof STEP_NAMES)[number];

const NAMES: ReadonlySet<string> = new Set(STEP_NAMES);

export function isStepName(name: string): name is StepName {
  return NAMES.has(name);
}
