import { corev1, defined } from '@kubewright/kube';
import type { Io, Request } from '@kubewright/runtime';
import { OBJECT_KEEPERS } from '../../api/object-keeper.ts';
import { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import { readAuthor } from '../../authority/read-author.ts';
import { keeperState } from '../../requests/keeper-state.ts';
import { NAMES } from '../../requests/names.ts';
import { foundIn, type LiveRead, readLive } from '../../requests/read-live.ts';
import { readRequest } from '../../requests/read-request.ts';
import type { ObservedDetach } from './observed-detach.ts';

type Claim = LiveRead<corev1.PersistentVolumeClaim>;

/** The request, its keeper, its claim, and the volume: by the name that is recorded, if there is one. */
export async function observe(key: Request, io: Io): Promise<ObservedDetach | undefined> {
  const request = await readRequest(VOLUME_CAPTURE_REQUESTS, key, io);
  if (request === undefined || !isDetach(request)) return undefined;
  const { uid } = request.metadata;
  const keeper = keeperState(request, await readLive(io, OBJECT_KEEPERS, { name: NAMES.detachKeeper(uid) }));
  const author = keeper.type === 'absent' ? await readAuthor(request, io) : undefined;
  const claim = await readClaim(request, io);
  const name = request.status?.progress?.volumeName ?? foundIn(claim)?.spec.volumeName;
  const volume = name ? await readLive(io, corev1.persistentvolumes, { name }) : undefined;
  return { request, keeper, ...defined({ author, claim, volume }) };
}

async function readClaim(
  { metadata, spec: { target } }: VolumeCaptureRequest,
  io: Io,
): Promise<Claim | undefined> {
  if (target === undefined) return undefined;
  const { namespace } = metadata;
  return readLive(io, corev1.persistentvolumeclaims, { namespace, name: target.name });
}

/** Requests of this mode have a controller, and an account, of their own. */
export function isDetach({ spec }: { readonly spec: { readonly mode: string } }): boolean {
  return spec.mode === 'Detach';
}
