import type { JsonObject } from '@kubewright/kube';
import { ANNOTATIONS } from '../../api/annotations.ts';
import type { ObjectKeeper } from '../../api/object-keeper.ts';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import { ownedBy } from '../../requests/keeper-state.ts';
import { NAMES } from '../../requests/names.ts';
import type { Volume } from './detachable.ts';

/**
 * Makes a volume the keeper's, bound to a claim that cannot exist: its uid is the request's. So the volume stays
 * Released, and no binder gives it to a claim, whatever that is called.
 */
export function release(
  { metadata: { namespace, name, uid } }: VolumeCaptureRequest,
  keeper: ObjectKeeper,
  { metadata }: Volume,
): JsonObject {
  const annotations = {
    [ANNOTATIONS.detached]: 'true',
    [ANNOTATIONS.request]: `${namespace}/${name}`,
    [ANNOTATIONS.requestUid]: uid,
  };
  const ownerReferences = [...(metadata.ownerReferences ?? []), ...ownedBy(keeper)];
  const claimRef = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace,
    name: NAMES.detachKeeper(uid),
    uid,
    resourceVersion: null,
  };
  return {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      annotations,
      ownerReferences: ownerReferences.map((owner) => ({ ...owner })),
    },
    spec: { claimRef },
  };
}
