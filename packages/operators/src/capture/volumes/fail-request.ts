import type { Decision, Refusal } from '@kubewright/runtime';
import type { VolumeCaptureStatus } from '../api/volume-capture-request.ts';
import type { VolumeRestoreStatus } from '../api/volume-restore-request.ts';
import { finish } from '../requests/finish.ts';
import { type Fault, refusalReason } from './volume-reason.ts';

/** The status of any volume request: all of it is optional. */
type VolumeStatus = VolumeCaptureStatus & VolumeRestoreStatus;
type Request = { readonly status?: VolumeStatus };

/** Ends a volume request that cannot succeed. */
export function failRequest(
  { status = {} }: Request,
  { reason, message }: Fault,
  now: Date,
): Decision<never, VolumeStatus> {
  return finish(status, { succeeds: false, reason, message }, now);
}

/** A permanent rejection by the server ends the request. */
export function refusedRequest(
  { request }: { readonly request: Request },
  { code, message }: Refusal,
  now: Date,
): Decision<never, VolumeStatus> {
  return failRequest(request, { reason: refusalReason(code), message }, now);
}
