import { ignoreNotFound, keyOf, type Ref } from '@kubewright/client';
import { gvkOf, type KubeObject, type Stored } from '@kubewright/kube';
import {
  type Cache,
  decisions,
  type Io,
  type Manager,
  type Request,
  requestFor,
  type Source,
  type Steps,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { COMPONENT } from '../api/annotations.ts';
import { addCacheMetrics } from '../metrics/add-cache-metrics.ts';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { type KeeperStatus, OBJECT_KEEPERS, type ObjectKeeper } from '../api/object-keeper.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from '../api/volume-restore-request.ts';
import type { Settings } from '../settings.ts';
import { addOrphanMetric } from './add-orphan-metric.ts';
import { decide, type KeeperAction, type ObservedKeeper } from './decide.ts';
import { observe } from './observe.ts';

export type KeeperSteps = Steps<ObservedKeeper, KeeperAction, KeeperStatus, ObjectKeeper>;

/** Index of keepers by the object they follow. */
const BY_FOLLOWED = 'followed';
const CONCURRENT_KEEPERS = 5;

/** Deletes keepers whose object is gone, or whose TTL has passed. */
export function addKeepers(
  manager: Manager,
  { keeperSyncPeriod }: Settings,
  change: (steps: KeeperSteps) => KeeperSteps = (steps) => steps,
): void {
  const steps = change({
    observe,
    decide: (observed, now) => decide(observed, now, keeperSyncPeriod),
    act: deleteKeeper,
    subject: ({ keeper }) => keeper,
  });
  addCacheMetrics(manager);
  addOrphanMetric(manager);
  const { cache } = manager;
  cache.addIndex(OBJECT_KEEPERS, BY_FOLLOWED, followedBy);
  manager.addController({
    name: 'objectkeeper',
    reconciler: decisions(manager, OBJECT_KEEPERS, steps, { component: COMPONENT }),
    sources: [
      watchKind(OBJECT_KEEPERS),
      watchFollowed(cache, MANIFEST_CAPTURE_REQUESTS),
      watchFollowed(cache, VOLUME_CAPTURE_REQUESTS),
      watchFollowed(cache, VOLUME_RESTORE_REQUESTS),
    ],
    maxConcurrentReconciles: CONCURRENT_KEEPERS,
  });
}

/** Deletions of this operator's kinds are watched; other kinds are polled once per sync period. */
function watchFollowed<T extends KubeObject>(cache: Cache, ref: Ref<T>): Source {
  return watchMapped(ref, (object) => keepersOf(cache, object), {
    predicates: [({ type }) => type === 'Delete'],
  });
}

function keepersOf(cache: Cache, object: Stored): readonly Request[] {
  const { group, kind } = gvkOf(object);
  const { namespace = '', name } = object.metadata;
  return cache
    .byIndex(OBJECT_KEEPERS, BY_FOLLOWED, followedKey(group, kind, `${namespace}/${name}`))
    .map(requestFor);
}

function followedBy({ spec: { followObjectRef: ref } }: ObjectKeeper): readonly string[] {
  if (ref === undefined) return [];
  const [group = ''] = ref.apiVersion.split('/');
  return [followedKey(group, ref.kind, `${ref.namespace}/${ref.name}`)];
}

function followedKey(group: string, kind: string, key: string): string {
  return `${group}/${kind}/${key}`;
}

/** Deletes exactly the keeper that was observed; one that has changed since is observed again. */
async function deleteKeeper({ keeper }: KeeperAction, { client }: Io): Promise<'done'> {
  const { uid, resourceVersion } = keeper.metadata;
  const options = { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background' } as const;
  await ignoreNotFound(client.delete(OBJECT_KEEPERS, keyOf(keeper), options));
  return 'done';
}
