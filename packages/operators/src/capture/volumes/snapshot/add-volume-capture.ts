import { type ActOutcome, type Io, type Manager, type Steps, watchKind } from '@kubewright/runtime';
import { OBJECT_KEEPERS } from '../../api/object-keeper.ts';
import { SNAPSHOT_CONTENTS } from '../../api/snapshots.ts';
import {
  VOLUME_CAPTURE_REQUESTS,
  type VolumeCaptureRequest,
  type VolumeCaptureStatus,
} from '../../api/volume-capture-request.ts';
import { decideRequests } from '../../metrics/decide-requests.ts';
import { refusedRequest } from '../fail-request.ts';
import { isDetach } from '../detach/observe.ts';
import { decide, type SnapshotAction } from './decide.ts';
import { observe } from './observe.ts';
import type { ObservedSnapshot } from './observed-snapshot.ts';

export type SnapshotSteps = Steps<
  ObservedSnapshot,
  SnapshotAction,
  VolumeCaptureStatus,
  VolumeCaptureRequest
>;

const STEPS: SnapshotSteps = {
  observe,
  decide,
  act,
  refused: refusedRequest,
  subject: ({ request }) => request,
};

const CONCURRENT_CAPTURES = 8;

/** Takes snapshots of claims' volumes, once per request. */
export function addVolumeCapture(
  manager: Manager,
  change: (steps: SnapshotSteps) => SnapshotSteps = (steps) => steps,
): void {
  manager.addController({
    name: 'volumecapturerequest',
    reconciler: decideRequests(manager, VOLUME_CAPTURE_REQUESTS, change(STEPS), { mode: 'Snapshot' }),
    sources: [watchKind(VOLUME_CAPTURE_REQUESTS, { predicates: [({ object }) => !isDetach(object)] })],
    maxConcurrentReconciles: CONCURRENT_CAPTURES,
  });
}

/** Makes one write. An object that already exists is a conflict, and everything is observed again. */
async function act(action: SnapshotAction, { client }: Io): Promise<ActOutcome> {
  if (action.type === 'createKeeper') await client.create(OBJECT_KEEPERS, action.keeper);
  else await client.create(SNAPSHOT_CONTENTS, action.content);
  return 'done';
}
