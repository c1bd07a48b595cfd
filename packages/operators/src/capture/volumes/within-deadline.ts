import type { Decision } from '@kubewright/runtime';
import type { VolumeCaptureRequest, VolumeCaptureStatus } from '../api/volume-capture-request.ts';
import type { VolumeRestoreRequest, VolumeRestoreStatus } from '../api/volume-restore-request.ts';
import { deadlineFault } from './deadline-fault.ts';
import { failRequest } from './fail-request.ts';

/** The status of any volume request: all of it is optional. */
type VolumeStatus = VolumeCaptureStatus & VolumeRestoreStatus;

/**
 * The decision, or the end of a request whose deadline has passed, whatever it would do next: a write that the server does
 * not accept is tried again and again.
 */
export function withinDeadline<A>(
  request: VolumeCaptureRequest | VolumeRestoreRequest,
  decision: Decision<A, VolumeStatus>,
  now: Date,
): Decision<A, VolumeStatus> {
  if (decision.status?.completionTimestamp !== undefined) return decision;
  const late = deadlineFault(request, `its next step was ${decision.reason}`, now);
  return late === undefined ? decision : failRequest(request, late, now);
}
