import { type Client, ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, discoveryv1, errorText, type Stored } from '@kubewright/kube';
import {
  type Cache,
  type CacheEvent,
  type Manager,
  type Reconciler,
  type Request,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { ClusterError, incomplete } from '../../cluster-error.ts';
import { TriggerTimes } from '../services/trigger-times.ts';
import { indexServicePods, podsOf, selectsPods, watchServicePods } from '../services/watch-service-pods.ts';
import { isNamespaceTerminating } from '../workloads/pod-control.ts';
import { soonest, undoneWait } from '../workloads/undone-wait.ts';
import { decide, type Decision } from './decide.ts';
import type { Observed } from './desired.ts';
import { MANAGED_BY, MANAGER, SERVICE_NAME } from './new-slice.ts';
import { OwnWrites } from './own-writes.ts';

/** The service account of `kube-system` that it acts as. */
export const ENDPOINTSLICE_CONTROLLER = 'endpointslice-controller';

/** Kubernetes' name of those who tell its events. */
const TELLER = 'endpoint-slice-controller';
const CONCURRENT = 5;
const BACKOFF = { baseMs: 1000, maxMs: 1_000_000 };
const BY_SERVICE = 'service';
const AT_ONCE_MS = 1;

type Slice = discoveryv1.EndpointSlice;

/** Writes the EndpointSlices of services that select pods. */
export function addEndpointSliceController(manager: Manager): void {
  const { cache } = manager;
  indexServicePods(cache);
  cache.addIndex(discoveryv1.endpointslices, BY_SERVICE, serviceKeys);
  cache.informer(corev1.nodes);
  const writes = new OwnWrites((slice) => serviceKeys(slice)[0] ?? '');
  const predicates = [(event: CacheEvent<Slice>) => writes.isForeign(event)];
  manager.addController({
    name: 'endpointslice',
    reconciler: reconcilerOf(manager, writes),
    sources: [
      watchKind(corev1.services),
      watchServicePods(cache),
      watchMapped(discoveryv1.endpointslices, (slice) => serviceOf(slice), { predicates }),
    ],
    maxConcurrentReconciles: CONCURRENT,
    backoff: BACKOFF,
  });
}

/** Only slices in this controller's care count. */
function serviceOf({ metadata: { namespace, labels = {} } }: Slice): readonly Request[] {
  const name = labels[SERVICE_NAME] ?? '';
  return labels[MANAGED_BY] === MANAGER && name !== '' ? [{ namespace, name }] : [];
}

function serviceKeys(slice: Slice): readonly string[] {
  return serviceOf(slice).map(({ namespace, name }) => `${namespace}/${name}`);
}

function observe(cache: Cache, service: Stored<corev1.Service>): Observed {
  const { namespace, name } = service.metadata;
  const slices = cache.byIndex(discoveryv1.endpointslices, BY_SERVICE, `${namespace}/${name}`);
  return {
    service,
    pods: podsOf(cache, service),
    slices: slices.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    node: (node) => cache.get(corev1.nodes, { name: node }),
  };
}

function reconcilerOf(manager: Manager, writes: OwnWrites): Reconciler {
  const { cache, client } = manager;
  const times = new TriggerTimes();
  const recorder = manager.recorderFor(TELLER);
  return {
    async reconcile(request) {
      const { namespace = '', name } = request;
      const key = `${namespace}/${name}`;
      const service = cache.get(corev1.services, request);
      // The slices of one that is gone are the garbage collector's.
      if (service === undefined) times.forget(namespace, name);
      if (service === undefined || !selectsPods(service)) return {};
      const observed = observe(cache, service);
      const decision = decide(observed, times.next(service, observed.pods));
      try {
        const act = (written: Stored<Slice>[]) => carryOutAll({ client, written }, decision, key);
        const { result: waits, isStale } = await writes.during(key, act);
        return soonest(...waits, isStale ? AT_ONCE_MS : undefined);
      } catch (error) {
        const message = `Error updating Endpoint Slices for Service ${key}: ${errorText(error)}`;
        recorder.record(service, { type: 'Warning', reason: 'FailedToUpdateEndpointSlices', message });
        throw error;
      }
    },
  };
}

type Io = { readonly client: Client; readonly written: Stored<Slice>[] };

/** One call for each action; resolves to how long to wait before the next reconciliation. Rejects with the write that failed. */
async function carryOutAll(
  io: Io,
  { actions, lost }: Decision,
  service: string,
): Promise<readonly (number | undefined)[]> {
  const waits: (number | undefined)[] = [];
  for (const { type, slice } of actions) {
    try {
      waits.push(await carryOut(io, type, slice));
    } catch (error) {
      if (type === 'create' && isNamespaceTerminating(error)) return waits;
      const what = type === 'create' ? 'EndpointSlice' : `${slice.metadata.name} EndpointSlice`;
      const message = `failed to ${type} ${what} for Service ${service}: ${errorText(error)}`;
      throw new ClusterError('Incomplete', message, { cause: error });
    }
  }
  if (lost.length === 0) return waits;
  const skipped = lost.map(
    ({ metadata, spec }) =>
      `skipping Pod ${metadata.name} for Service ${service}: Node ${spec.nodeName ?? ''} Not Found`,
  );
  throw incomplete(skipped);
}

async function carryOut(
  { client, written }: Io,
  type: Decision['actions'][number]['type'],
  slice: Slice,
): Promise<number | undefined> {
  if (type === 'delete') {
    await ignoreNotFound(client.delete(discoveryv1.endpointslices, keyOf(slice)));
    return undefined;
  }
  const stored = await client[type](discoveryv1.endpointslices, withNulls(slice));
  written.push(stored);
  return type === 'update' ? undoneWait(slice, stored) : undefined;
}

/** Go, which has no other empty list after protobuf, stores none as null. */
function withNulls(slice: Slice): Slice {
  const orNull = <T>(list: readonly T[] | null | undefined): readonly T[] | null =>
    (list ?? []).length === 0 ? null : (list ?? null);
  const lists = { endpoints: orNull(slice.endpoints), ports: orNull(slice.ports) };
  return { ...slice, ...lists } as Slice;
}
