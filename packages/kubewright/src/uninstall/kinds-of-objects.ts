/**
 * The kinds of operators in the order in which their objects are deleted, while their operators still release finalizers:
 * what makes others before what it makes. With what is lost. Kinds that are not here come last.
 */
export const KINDS: Readonly<Record<string, string>> = {
  CaptureSchedule: '',
  ManifestCaptureRequest: '',
  VolumeCaptureRequest: 'their snapshots go with them, unless the class of a snapshot retains it',
  VolumeRestoreRequest: '',
  ObjectKeeper: 'what they keep goes with them',
  ManifestCheckpoint:
    'what was captured is gone, and cannot be restored: export it first (kubewright capture export)',
  ManifestCheckpointContentChunk: '',
  StatefulMigration: 'those under way are undone first',
  Kausality: 'nothing is checked any more',
  ApprovalPolicy: '',
  ClusterApprovalPolicy: '',
  ControllerProfile: '',
  DecisionLog: 'what was decided is forgotten',
  ClassRuntime: 'their Deployments, Services and autoscalers go with them',
  Composition: 'what they have applied goes with them',
  ResourceSlice: '',
  Synthesizer: '',
};

/** What is worth most comes first in what is shown. */
export const SHOWN_FIRST: readonly string[] = [
  'ManifestCheckpoint',
  'ObjectKeeper',
  'ClassRuntime',
  'Composition',
];
