import { SNAPSHOT_API_VERSION } from '../../api/snapshots.ts';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import { NAMES } from '../../requests/names.ts';

/** The VolumeSnapshot that a content names, which is never made. */
export function missingSnapshot({ metadata: { namespace, uid } }: VolumeCaptureRequest) {
  return {
    apiVersion: SNAPSHOT_API_VERSION,
    kind: 'VolumeSnapshot',
    namespace,
    name: NAMES.snapshotContent(uid),
    uid,
  };
}
