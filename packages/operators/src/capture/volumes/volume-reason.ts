/** Why a request about a volume is finished. */
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

/** What is said of a write that the server rejects for good. */
export function refusalReason(code: number | undefined): VolumeReason {
  if (code === 403) return 'RBACDenied';
  return code === 404 ? 'NotFound' : 'InternalError';
}
