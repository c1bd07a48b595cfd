import { controllerOf, type corev1, type Stored } from '@kubewright/kube';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import { foundIn } from '../../requests/read-live.ts';
import { claimFault, targetFault } from '../claim-fault.ts';
import { readFault } from '../read-fault.ts';
import type { Fault } from '../volume-reason.ts';
import type { ObservedDetach } from './observed-detach.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
export type Volume = Stored<corev1.PersistentVolume>;

/** The volume that a request may detach, or the first fault found: nothing is changed before there is none. */
export function detachable({ request, claim, volume: read }: ObservedDetach): Volume | Fault {
  const fault = targetFault(request) ?? claimFault(request, claim);
  if (fault !== undefined) return fault;
  const volume = foundIn(read);
  const title = `PersistentVolume ${foundIn(claim)?.spec.volumeName}`;
  if (volume === undefined)
    return readFault(read, title) ?? { reason: 'NotFound', message: `${title} not found` };
  return boundElsewhere(request, volume) ?? foreignOwner(volume) ?? volume;
}

/** The claim that a request names, while it exists: another one of its name is none of the request's business. */
export function targetClaim({ request, claim }: ObservedDetach): Claim | undefined {
  const live = foundIn(claim);
  return live?.metadata.uid === request.spec.target?.uid ? live : undefined;
}

/** Binding has two sides. */
export function boundElsewhere(
  { spec: { target } }: VolumeCaptureRequest,
  { metadata, spec }: Volume,
): Fault | undefined {
  if (spec.claimRef?.uid === target?.uid) return undefined;
  return {
    reason: 'Conflict',
    message: `PersistentVolume ${metadata.name} is not bound to PersistentVolumeClaim ${target?.name}`,
  };
}

/** A volume goes with its controller. */
export function foreignOwner(volume: Volume): Fault | undefined {
  const owner = controllerOf(volume);
  if (owner === undefined) return undefined;
  return {
    reason: 'Conflict',
    message: `PersistentVolume ${volume.metadata.name} belongs to ${owner.kind} ${owner.name}`,
  };
}
