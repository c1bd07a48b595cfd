/**
 * What a migration does, in the order in which it does it; what a handover does twice, where there is another one: that begins at
 * `ReplaceSource`.
 */
export const STEP_NAMES = [
  'Preflight',
  'Lock',
  // Sequential, of a pod without a controller: what the operator makes the next one from.
  'KeepTemplate',
  // A handover of a process that is not of the SDK: these, in the place of those from CreateMirror to Resume. Attach and SwitchOver
  // are in the place of those from Restore to TakeOver.
  'DeclareHold',
  'Hold',
  'Checkpoint',
  // A handover: the first from the source to the shadow, every later one from the shadow to the StatefulSet's pod. The target is
  // there before the source stops. Without a StatefulSet there is one, and the shadow is the pod that stays (`AdoptShadow`,
  // `RemoveSource`).
  'CreateShadow',
  'ReplaceSource',
  'CreateMirror',
  'DeclareSnapshot',
  'Barrier',
  // Sequential: in the place of the mirror and the barrier, as the source goes on no more.
  'Stop',
  'Snapshot',
  // Sequential: ReplaceSource and Restore come after it.
  'HoldPrimary',
  // Not with a small state, which is moved while the source stands still.
  'Resume',
  'Attach',
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
  'SwitchOver',
  'DeleteQueues',
  'NextHandover',
  'RemoveSource',
  // A later handover that failed: the shadow goes on, and then there is another one.
  'ResumeShadow',
  'DeleteFailedQueues',
  'DeleteShadow',
  // Of a process that is not of the SDK: behind DeletePodQueues.
  'RemoveCheckpoints',
  'Verify',
  'Confirm',
  'DeletePodQueues',
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
