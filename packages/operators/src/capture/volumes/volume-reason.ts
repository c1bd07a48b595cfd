/** Why a volume request ended. */
export type VolumeReason =
  | 'Completed'
  | 'Conflict'
  | 'DeadlineExceeded'
  | 'Incompatible'
  | 'InternalError'
  | 'InvalidMode'
  | 'InvalidSource'
  | 'NotFound'
  | 'RBACDenied'
  | 'RestoreFailed'
  | 'SnapshotCreationFailed'
  | 'UnsupportedTargetKind';

/** Why a request cannot succeed. */
export type Fault = { readonly reason: VolumeReason; readonly message: string };

/** The reason for a write that the server rejected permanently. */
export function refusalReason(code: number | undefined): VolumeReason {
  if (code === 403) return 'RBACDenied';
  return code === 404 ? 'NotFound' : 'InternalError';
}
