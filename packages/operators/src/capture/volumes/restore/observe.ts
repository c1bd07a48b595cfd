import { corev1, defined, type KubeObject, storagev1 } from '@kubewright/kube';
import type { Io, Request } from '@kubewright/runtime';
import { readAuthor } from '../../authority/read-author.ts';
import { OBJECT_KEEPERS } from '../../api/object-keeper.ts';
import { SNAPSHOT_CONTENTS, SNAPSHOTS } from '../../api/snapshots.ts';
import { VOLUME_RESTORE_REQUESTS, type VolumeRestoreRequest } from '../../api/volume-restore-request.ts';
import { keeperState } from '../../requests/keeper-state.ts';
import { NAMES } from '../../requests/names.ts';
import { foundIn, readLive } from '../../requests/read-live.ts';
import { readRequest } from '../../requests/read-request.ts';
import type { ObservedRestore, Passage } from './observed-restore.ts';
import { readFailure } from './provisioning-failure.ts';

/** The request, its keeper and its claim; the source is read only while there is no claim. */
export async function observe(key: Request, io: Io): Promise<ObservedRestore | undefined> {
  const request = await readRequest(VOLUME_RESTORE_REQUESTS, key, io);
  if (request === undefined) return undefined;
  const { namespace, uid } = request.metadata;
  const keeper = keeperState(request, await readLive(io, OBJECT_KEEPERS, { name: NAMES.restoreKeeper(uid) }));
  const { name } = request.spec.pvcTemplate.metadata;
  const claim = foundIn(await readLive(io, corev1.persistentvolumeclaims, { namespace, name }));
  if (claim === undefined) {
    const seen = { request, keeper, passage: await readPassage(request, io) };
    return keeper.type === 'absent' ? { ...seen, author: await readAuthor(request, io) } : seen;
  }
  const { volumeName } = claim.spec;
  const volume = volumeName
    ? foundIn(await readLive(io, corev1.persistentvolumes, { name: volumeName }))
    : undefined;
  const seen = { request, keeper, claim, ...found('volume', volume), passage: {} };
  return volumeName ? seen : { ...seen, ...defined({ failure: await readFailure(claim, io) }) };
}

async function readPassage({ metadata, spec }: VolumeRestoreRequest, io: Io): Promise<Passage> {
  const { sourceRef, pvcTemplate } = spec;
  if ((sourceRef.kind ?? SNAPSHOT_CONTENTS.kind) !== SNAPSHOT_CONTENTS.kind) return {};
  const source = await readLive(io, SNAPSHOT_CONTENTS, { name: sourceRef.name });
  const className = pvcTemplate.spec?.storageClassName;
  const storageClass = className
    ? await readLive(io, storagev1.storageclasses, { name: className })
    : undefined;
  const name = NAMES.restoreSnapshot(metadata.uid);
  const content = foundIn(await readLive(io, SNAPSHOT_CONTENTS, { name }));
  const snapshot = foundIn(await readLive(io, SNAPSHOTS, { namespace: metadata.namespace, name }));
  return {
    source,
    ...(storageClass && { storageClass }),
    ...found('content', content),
    ...found('snapshot', snapshot),
  };
}

function found<K extends string, T extends KubeObject>(
  key: K,
  object: T | undefined,
): { readonly [P in K]?: T } {
  return (object === undefined ? {} : { [key]: object }) as { readonly [P in K]?: T };
}
