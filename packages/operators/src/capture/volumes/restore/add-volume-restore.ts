import { corev1 } from '@kubewright/kube';
import { type ActOutcome, type Io, type Manager, type Steps, watchKind } from '@kubewright/runtime';
import { OBJECT_KEEPERS } from '../../api/object-keeper.ts';
import { SNAPSHOT_CONTENTS, SNAPSHOTS } from '../../api/snapshots.ts';
import {
  VOLUME_RESTORE_REQUESTS,
  type VolumeRestoreRequest,
  type VolumeRestoreStatus,
} from '../../api/volume-restore-request.ts';
import { decideRequests } from '../../metrics/decide-requests.ts';
import { refusedRequest } from '../fail-request.ts';
import { decide, type RestoreAction } from './decide.ts';
import { observe } from './observe.ts';
import type { ObservedRestore } from './observed-restore.ts';

type RestoreSteps = Steps<ObservedRestore, RestoreAction, VolumeRestoreStatus, VolumeRestoreRequest>;

const STEPS: RestoreSteps = {
  observe,
  decide,
  act,
  refused: refusedRequest,
  subject: ({ request }) => request,
};

const CONCURRENT_RESTORES = 8;

/** Restores claims from snapshots, once per request. */
export function addVolumeRestore(manager: Manager): void {
  manager.addController({
    name: 'volumerestorerequest',
    reconciler: decideRequests(manager, VOLUME_RESTORE_REQUESTS, STEPS, { mode: 'Restore' }),
    sources: [watchKind(VOLUME_RESTORE_REQUESTS)],
    maxConcurrentReconciles: CONCURRENT_RESTORES,
  });
}

/** Makes one write. An object that already exists is a conflict, and everything is observed again. */
async function act(action: RestoreAction, { client }: Io): Promise<ActOutcome> {
  switch (action.type) {
    case 'createKeeper':
      await client.create(OBJECT_KEEPERS, action.keeper);
      break;
    case 'createContent':
      await client.create(SNAPSHOT_CONTENTS, action.content);
      break;
    case 'createSnapshot':
      await client.create(SNAPSHOTS, action.snapshot);
      break;
    case 'createClaim':
      await client.create(corev1.persistentvolumeclaims, action.claim);
      break;
  }
  return 'done';
}
