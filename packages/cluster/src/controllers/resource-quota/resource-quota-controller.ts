import {
  countedBy,
  countedResources,
  evaluatorFor,
  type GroupResource,
  sameAmounts,
} from '@kubewright/apiserver';
import { type Client, createClient, discoverResources, type Ref } from '@kubewright/client';
import { corev1, defined, jsonEqual, type KubeObject, type Stored, type Transport } from '@kubewright/kube';
import {
  type CacheEvent,
  createChannelSource,
  decisions,
  type Manager,
  requestFor,
  type Source,
  type Steps,
  watchKind,
} from '@kubewright/runtime';
import { type Counted, countUsage } from './count-usage.ts';
import { decide, limitsOf } from './decide.ts';
import { ObjectMonitors } from './object-monitors.ts';

/** The service account of `kube-system` that it acts as. */
export const RESOURCE_QUOTA_CONTROLLER = 'resourcequota-controller';

type Quota = Stored<corev1.ResourceQuota>;

const BY_NAMESPACE = 'quota-namespace';
const WORKERS = 5;
/** All is counted anew this often: a pod that does not end stops counting without any news of it. */
const RESYNC_MS = 5 * 60_000;

/** Kinds of which more counts than their number. They are in everybody's cache. */
const CACHED: ReadonlyMap<string, Ref> = new Map<string, Ref>([
  ['pods', corev1.pods],
  ['services', corev1.services],
  ['persistentvolumeclaims', corev1.persistentvolumeclaims],
]);

/** Keeps the status of ResourceQuotas: what is limited, and what is used of it. */
export function addResourceQuotaController(manager: Manager, transport: Transport): void {
  const { cache, clock, random, log } = manager;
  cache.addIndex(corev1.resourcequotas, BY_NAMESPACE, ({ metadata }) => [metadata.namespace]);
  const freed = createChannelSource('objects that quotas count');
  const onEvent = (resource: GroupResource, event: CacheEvent): void => {
    for (const quota of affected(manager, resource, event)) freed.send(requestFor(quota));
  };
  const metadata = createClient(transport, { metadataOnly: true });
  const discover = () => discoverResources(transport);
  const onSynced = (resource: GroupResource): void => {
    for (const quota of cache.list(corev1.resourcequotas))
      if (limits(quota, resource)) freed.send(requestFor(quota));
  };
  const monitors = new ObjectMonitors({ client: metadata, discover, clock, random, log, onEvent, onSynced });
  manager.add(monitors);
  manager.addController({
    name: 'resource-quota',
    // By update, for which alone the controller's role has the right.
    reconciler: decisions(manager, corev1.resourcequotas, stepsOf(monitors, metadata), {
      writeStatus: (quota, status, { client }) =>
        client.update(corev1.resourcequotas, { ...quota, status }, { subresource: 'status' }),
    }),
    sources: [
      watchKind(corev1.resourcequotas, {
        predicates: [(event) => event.type !== 'Update' || !jsonEqual(event.old.spec, event.object.spec)],
      }),
      freed,
      ...[...CACHED].map(([resource, ref]) =>
        watchFreed(ref, (event) => onEvent({ group: '', resource }, event)),
      ),
    ],
    maxConcurrentReconciles: WORKERS,
  });
}

function limits(quota: Quota, { group, resource }: GroupResource): boolean {
  return (evaluatorFor(group, resource)?.matching([...limitsOf(quota).keys()]).length ?? 0) > 0;
}

function watchFreed(ref: Ref, onEvent: (event: CacheEvent) => void): Source {
  return {
    name: `what quotas count of ${ref.kind}`,
    start: ({ cache }) => cache.informer(ref).addHandler(onEvent),
    waitForSync: ({ cache }, signal) => cache.informer(ref).waitForSync(signal),
  };
}

/** The quotas for which an object counts otherwise than before. What is new has been charged by admission. */
function affected({ cache, clock }: Manager, resource: GroupResource, event: CacheEvent): readonly Quota[] {
  const evaluator = evaluatorFor(resource.group, resource.resource);
  const { namespace } = event.object.metadata;
  if (event.type === 'Create' || evaluator === undefined || namespace === undefined) return [];
  const quotas = cache.byIndex(corev1.resourcequotas, BY_NAMESPACE, namespace);
  return quotas.filter((quota) => {
    if (event.type === 'Delete' || !limits(quota, resource)) return limits(quota, resource);
    const names = [...limitsOf(quota).keys()];
    const now = clock.now();
    const count = (object: KubeObject) => countedBy(quota, names, { evaluator, object, now });
    return !sameAmounts(count(event.old), count(event.object));
  });
}

type Observed = { readonly quota: Quota; readonly counted: readonly Counted[] };

/**
 * Objects are listed on the server after the quota was read, and the status is written only where no request has charged
 * the quota since: what admission has let in meanwhile is never taken off again.
 */
function stepsOf(
  monitors: ObjectMonitors,
  metadata: Client,
): Steps<Observed, never, corev1.ResourceQuotaStatus, Quota> {
  return {
    async observe(request, { cache, client }) {
      const quota = cache.get(corev1.resourcequotas, request);
      await monitors.follow(monitored(cache.list(corev1.resourcequotas)));
      if (quota === undefined) return undefined;
      const counted: Counted[] = [];
      for (const resource of countedResources([...limitsOf(quota).keys()])) {
        const objects = await listed(client, resource, quota.metadata.namespace);
        if (objects !== undefined) counted.push({ ...resource, objects });
      }
      return { quota, counted };
    },
    decide({ quota, counted }, now) {
      const status = decide(quota, countUsage(quota, counted, now.getTime()));
      return { reason: 'Counted', requeueAfter: RESYNC_MS, ...defined({ status }) };
    },
    // There is no write but the status.
    act: (never) => never,
    subject: ({ quota }) => quota,
  };

  async function listed(
    client: Client,
    resource: GroupResource,
    namespace: string,
  ): Promise<readonly KubeObject[] | undefined> {
    const cached = resource.group === '' ? CACHED.get(resource.resource) : undefined;
    if (cached !== undefined) return (await client.list(cached, { namespace })).items;
    const ref = await monitors.refOf(resource);
    return ref === undefined ? undefined : (await metadata.list(ref, { namespace })).items;
  }
}

/** What has to be watched beside the cache for these quotas. */
function monitored(quotas: readonly Quota[]): readonly GroupResource[] {
  const names = quotas.flatMap((quota) => [...limitsOf(quota).keys()]);
  return countedResources([...new Set(names)]).filter(
    ({ group, resource }) => group !== '' || !CACHED.has(resource),
  );
}
