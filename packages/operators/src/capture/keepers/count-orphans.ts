import { apiVersionOf, type ResourceRef } from '@kubewright/kube';
import type { Cache } from '@kubewright/runtime';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { OBJECT_KEEPERS, type ObjectKeeper } from '../api/object-keeper.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from '../api/volume-restore-request.ts';
import { decide, type Followed } from './decide.ts';

/** The followed kinds that the operator watches itself. */
const WATCHED: readonly ResourceRef[] = [
  MANIFEST_CAPTURE_REQUESTS,
  VOLUME_CAPTURE_REQUESTS,
  VOLUME_RESTORE_REQUESTS,
];

/**
 * How many keepers have outlived the object that they follow, or their TTL: what they own should be gone. Only caches are
 * read; 0 until all of them have their first list, since without a request each keeper looks like an orphan.
 */
export function countOrphans(cache: Cache, now: Date): number {
  const informers = [OBJECT_KEEPERS, ...WATCHED].flatMap((ref: ResourceRef) => cache.informersOf(ref));
  if (!informers.every(({ synced }) => synced)) return 0;
  return cache.list(OBJECT_KEEPERS).filter((keeper) => isOrphan(keeper, followedBy(keeper, cache), now))
    .length;
}

/** What the process knows of the object without a read: of a kind that it does not watch, what the status says. */
function followedBy({ spec, status }: ObjectKeeper, cache: Cache): Followed {
  const { followObjectRef: followed } = spec;
  const ref = WATCHED.find(
    (watched) => apiVersionOf(watched) === followed?.apiVersion && watched.kind === followed.kind,
  );
  if (ref === undefined || followed === undefined) return fromStatus(status?.lostAt);
  const live = cache.get(ref, followed);
  return live === undefined ? { type: 'absent' } : { type: 'found', uid: live.metadata.uid };
}

function fromStatus(lostAt: string | undefined): Followed {
  if (lostAt !== undefined) return { type: 'absent' };
  return { type: 'unknown', reason: 'NotWatched', message: '' };
}

/** One without a TTL is an orphan before it may be deleted: it may be the write before that which fails. */
function isOrphan(keeper: ObjectKeeper, followed: Followed, now: Date): boolean {
  const { mode, followObjectRef } = keeper.spec;
  if (mode !== 'FollowObject') return decide({ keeper, followed }, now, 0).action !== undefined;
  return followed.type === 'absent' || (followed.type === 'found' && followed.uid !== followObjectRef?.uid);
}
