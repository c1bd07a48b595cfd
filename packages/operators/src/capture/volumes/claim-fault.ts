import type { corev1 } from '@kubewright/kube';
import type { VolumeCaptureRequest } from '../api/volume-capture-request.ts';
import type { LiveRead } from '../requests/read-live.ts';
import { internal, readFault } from './read-fault.ts';
import type { Fault } from './volume-reason.ts';

/** What is wrong with the target of a request, wherever it is. */
export function targetFault({ metadata, spec: { target } }: VolumeCaptureRequest): Fault | undefined {
  if (target === undefined) return internal('spec.target is missing');
  const { apiVersion, kind, namespace = '' } = target;
  if (apiVersion !== 'v1' || kind !== 'PersistentVolumeClaim')
    return {
      reason: 'UnsupportedTargetKind',
      message: `${apiVersion} ${kind} is not a PersistentVolumeClaim`,
    };
  if (namespace === '' || namespace === metadata.namespace) return undefined;
  return { reason: 'RBACDenied', message: `the target is in another namespace, ${namespace}` };
}

/** Why a claim is not the bound one that a request names. */
export function claimFault(
  { spec: { target } }: VolumeCaptureRequest,
  claim: LiveRead<corev1.PersistentVolumeClaim> | undefined,
): Fault | undefined {
  const title = `PersistentVolumeClaim ${target?.name}`;
  if (claim?.type !== 'found') return readFault(claim, title);
  const { uid } = claim.object.metadata;
  if (uid !== target?.uid)
    return { reason: 'NotFound', message: `${title} was replaced: its uid is ${uid}, not ${target?.uid}` };
  return claim.object.spec.volumeName ? undefined : internal(`${title} is not bound`);
}
