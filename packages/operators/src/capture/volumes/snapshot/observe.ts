import { corev1, storagev1 } from '@kubewright/kube';
import type { Io, Request } from '@kubewright/runtime';
import { readAuthor } from '../../authority/read-author.ts';
import { OBJECT_KEEPERS } from '../../api/object-keeper.ts';
import { SNAPSHOT_CLASSES, SNAPSHOT_CONTENTS } from '../../api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import { keeperState } from '../../requests/keeper-state.ts';
import { NAMES } from '../../requests/names.ts';
import { foundIn, readLive } from '../../requests/read-live.ts';
import { readRequest } from '../../requests/read-request.ts';
import { isDetach } from '../detach/observe.ts';
import type { ObservedSnapshot, Source } from './observed-snapshot.ts';
import { snapshotClassOf } from './snappable.ts';

/**
 * The request, its keeper and its snapshot; the source is read only while there is no snapshot, and its volume once more
 * when the request sees one for the first time.
 */
export async function observe(key: Request, io: Io): Promise<ObservedSnapshot | undefined> {
  const request = await readRequest(VOLUME_CAPTURE_REQUESTS, key, io);
  if (request === undefined || isDetach(request)) return undefined;
  const { uid } = request.metadata;
  const keeper = keeperState(request, await readLive(io, OBJECT_KEEPERS, { name: NAMES.captureKeeper(uid) }));
  const content = foundIn(await readLive(io, SNAPSHOT_CONTENTS, { name: NAMES.snapshotContent(uid) }));
  if (content !== undefined) {
    const isKnown = request.status?.progress?.artifactUID !== undefined;
    return { request, keeper, content, source: isKnown ? {} : await readVolume(request, io) };
  }
  const seen = { request, keeper, source: await readSource(request, io) };
  return keeper.type === 'absent' ? { ...seen, author: await readAuthor(request, io) } : seen;
}

async function readVolume({ metadata, spec }: VolumeCaptureRequest, io: Io): Promise<Source> {
  const { namespace } = metadata;
  const name = spec.target?.name;
  if (name === undefined) return {};
  const claim = await readLive(io, corev1.persistentvolumeclaims, { namespace, name });
  const { volumeName } = foundIn(claim)?.spec ?? {};
  if (!volumeName) return { claim };
  return { claim, volume: await readLive(io, corev1.persistentvolumes, { name: volumeName }) };
}

async function readSource(request: VolumeCaptureRequest, io: Io): Promise<Source> {
  const { claim, volume } = await readVolume(request, io);
  if (claim === undefined) return {};
  if (volume === undefined) return { claim };
  const { storageClassName } = foundIn(claim)?.spec ?? {};
  if (!storageClassName) return { claim, volume };
  const storageClass = await readLive(io, storagev1.storageclasses, { name: storageClassName });
  const named = foundIn(storageClass);
  const className = named && snapshotClassOf(named);
  if (className === undefined) return { claim, volume, storageClass };
  const snapshotClass = await readLive(io, SNAPSHOT_CLASSES, { name: className });
  return { claim, volume, storageClass, snapshotClass };
}
