import { ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { type ActOutcome, type Io, type Manager, type Steps, watchKind } from '@kubewright/runtime';
import { OBJECT_KEEPERS } from '../../api/object-keeper.ts';
import {
  VOLUME_CAPTURE_REQUESTS,
  type VolumeCaptureRequest,
  type VolumeCaptureStatus,
} from '../../api/volume-capture-request.ts';
import { decideRequests } from '../../metrics/decide-requests.ts';
import { refusedRequest } from '../fail-request.ts';
import { decide, type DetachAction } from './decide.ts';
import { isDetach, observe } from './observe.ts';
import type { ObservedDetach } from './observed-detach.ts';

export type DetachSteps = Steps<ObservedDetach, DetachAction, VolumeCaptureStatus, VolumeCaptureRequest>;

const STEPS: DetachSteps = {
  observe,
  decide,
  act,
  refused: refusedRequest,
  subject: ({ request }) => request,
};

const CONCURRENT_DETACHES = 8;

/** Takes volumes from their claims, once per request. */
export function addVolumeDetach(
  manager: Manager,
  change: (steps: DetachSteps) => DetachSteps = (steps) => steps,
): void {
  manager.addController({
    name: 'volumedetach',
    reconciler: decideRequests(manager, VOLUME_CAPTURE_REQUESTS, change(STEPS), { mode: 'Detach' }),
    sources: [watchKind(VOLUME_CAPTURE_REQUESTS, { predicates: [({ object }) => isDetach(object)] })],
    maxConcurrentReconciles: CONCURRENT_DETACHES,
  });
}

/** Makes one write, of exactly what was observed. */
async function act(action: DetachAction, { client }: Io): Promise<ActOutcome> {
  switch (action.type) {
    case 'createKeeper':
      await client.create(OBJECT_KEEPERS, action.keeper);
      break;
    case 'patchVolume':
      await client.patch(
        corev1.persistentvolumes,
        { name: action.name },
        { type: 'merge', body: action.body },
      );
      break;
    case 'deleteClaim': {
      const { uid } = action.claim.metadata;
      const options = { preconditions: { uid }, propagationPolicy: 'Background' } as const;
      await ignoreNotFound(client.delete(corev1.persistentvolumeclaims, keyOf(action.claim), options));
      break;
    }
  }
  return 'done';
}
