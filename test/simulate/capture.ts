import { type Client, ignoreNotFound, isNotFound, type Ref, sleep } from '@kubewright/client';
import {
  type ScenarioContext,
  type Scenario,
  volumesnapshotclasses,
  volumesnapshotcontents,
  volumesnapshots,
} from '@kubewright/cluster';
import { corev1, isConditionTrue, type KubeObject, storagev1, type Stored } from '@kubewright/kube';
import {
  type CaptureChanges,
  capturePartsWith,
  CONTENT_CHUNKS,
  MANIFEST_CAPTURE_REQUESTS,
  MANIFEST_CHECKPOINTS,
  OBJECT_KEEPERS,
  VOLUME_CAPTURE_REQUESTS,
  VOLUME_RESTORE_REQUESTS,
} from '@kubewright/operators';
import { captureInvariants } from './capture-invariants.ts';
import {
  CLAIM,
  configMap,
  detach,
  ELSEWHERE,
  manifests,
  MAPS,
  NAMESPACE,
  restore,
  selected,
  snapshot,
} from './capture-objects.ts';
import { withReader } from './capture-reader.ts';
import { clusterComponent, storageBackend } from './cluster-component.ts';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';

/** Calls that the operator makes until all is as it has to be, about. */
const CALLS = 150;
/** Long enough for a restore from a request's snapshot, short enough for all to be gone in the end. */
const REQUEST_TTL = '4m';
const LOOK_MS = 1000;

type RequestObject = Stored & {
  readonly status?: {
    readonly completionTimestamp?: string;
    readonly conditions?: Parameters<typeof isConditionTrue>[0];
    readonly data?: { readonly artifactRef: { readonly name: string } };
    readonly pvcRef?: { readonly name: string };
  };
};

/** Looks every second until there is something. */
async function until<T>(
  { clock, signal }: ScenarioContext,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (;;) {
    const found = await look();
    if (found !== undefined || signal.aborted) return found;
    await sleep(clock, LOOK_MS, signal);
  }
}

/** How a request ended: `undefined` for one that failed, or that was gone before anybody looked. */
async function ended(
  context: ScenarioContext,
  ref: Ref,
  name: string,
  namespace = NAMESPACE,
): Promise<RequestObject | undefined> {
  const seen = await until(context, async () => {
    const key = { namespace, name };
    const request: RequestObject | undefined = await ignoreNotFound(context.client.get(ref, key));
    if (request === undefined) return { request };
    return request.status?.completionTimestamp === undefined ? undefined : { request };
  });
  const { request } = seen ?? {};
  return isConditionTrue(request?.status?.conditions, 'Ready') ? request : undefined;
}

/** A request is made anew until one succeeds: that is how one tries again. */
async function insist(attempt: (index: number) => Promise<boolean>): Promise<void> {
  for (let index = 0; !(await attempt(index)); index++);
}

async function captureManifests(context: ScenarioContext): Promise<void> {
  const { client, clock, random } = context;
  await client.create(MANIFEST_CAPTURE_REQUESTS, manifests('brief'));
  await sleep(clock, random.below(4000));
  await ignoreNotFound(client.delete(MANIFEST_CAPTURE_REQUESTS, { namespace: NAMESPACE, name: 'brief' }));
  for (const request of [manifests, selected])
    await insist(async (index) => {
      const { metadata } = await client.create(MANIFEST_CAPTURE_REQUESTS, request(`all-${index}`));
      return (await ended(context, MANIFEST_CAPTURE_REQUESTS, metadata.name)) !== undefined;
    });
}

/** Somebody's own keeper, of an object of a kind that the operator does not know. */
async function keepForMap({ client, clock, random }: ScenarioContext): Promise<void> {
  const { metadata } = await client.create(corev1.configmaps, configMap('kept', '0'));
  const { name, uid } = metadata;
  const followObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name, uid };
  await client.create(OBJECT_KEEPERS, {
    apiVersion: 'deckhouse.io/v1alpha1',
    kind: 'ObjectKeeper',
    metadata: { name: 'of-map' },
    spec: { mode: 'FollowObject', followObjectRef },
  });
  await sleep(clock, random.below(4000));
  await client.delete(corev1.configmaps, { namespace: NAMESPACE, name });
}

/** Names the snapshot class of the volumes, once the driver has installed both. */
async function prepareClasses(context: ScenarioContext): Promise<void> {
  const { client } = context;
  // The last thing that the driver installs.
  await until(context, async () => ignoreNotFound(client.get(volumesnapshotclasses, { name: 'standard' })));
  const parameters = { 'simulate-ready-ms': '3000' };
  await client.patch(volumesnapshotclasses, { name: 'standard' }, { type: 'merge', body: { parameters } });
  const annotations = { 'storage.deckhouse.io/volumesnapshotclass': 'standard' };
  const body = { metadata: { annotations } };
  await client.patch(storagev1.storageclasses, { name: 'standard' }, { type: 'merge', body });
}

async function boundClaim(
  context: ScenarioContext,
  name: string,
): Promise<Stored<corev1.PersistentVolumeClaim> | undefined> {
  const { client } = context;
  const key = { namespace: NAMESPACE, name };
  await client.create(corev1.persistentvolumeclaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: key,
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'standard',
    },
  });
  return until(context, async () => {
    const claim = await client.get(corev1.persistentvolumeclaims, key);
    // Where a webhook undoes the binder's write of the spec, the status may say Bound before.
    return claim.status?.phase === 'Bound' && claim.spec.volumeName !== undefined ? claim : undefined;
  });
}

async function handleOf(client: Client, name: string, namespace = NAMESPACE): Promise<string> {
  const { spec } = await client.get(corev1.persistentvolumeclaims, { namespace, name });
  const volume = await client.get(corev1.persistentvolumes, { name: spec.volumeName ?? '' });
  return volume.spec.csi?.volumeHandle ?? '';
}

const PLACES = [NAMESPACE, ELSEWHERE];

/** A volume with content is captured and restored, into another namespace too, until all has succeeded. */
async function captureVolume(context: ScenarioContext): Promise<void> {
  const { client, clock, signal } = context;
  const claim = await boundClaim(context, CLAIM.name);
  if (claim === undefined) return;
  const disks = storageBackend(signal, clock);
  disks.write(await handleOf(client, CLAIM.name), 'file', 'then');
  await insist(async (index) => {
    const name = `volume-${index}`;
    await client.create(VOLUME_CAPTURE_REQUESTS, snapshot(name, claim.metadata.uid));
    const artifact = (await ended(context, VOLUME_CAPTURE_REQUESTS, name))?.status?.data?.artifactRef.name;
    if (artifact === undefined) return false;
    for (const namespace of PLACES)
      await client.create(VOLUME_RESTORE_REQUESTS, restore(name, artifact, namespace));
    const restored = await Promise.all(
      PLACES.map((namespace) => ended(context, VOLUME_RESTORE_REQUESTS, name, namespace)),
    );
    return restored.every((request) => request !== undefined);
  });
  disks.write(await handleOf(client, CLAIM.name), 'file', 'now');
}

const detached = new WeakMap<AbortSignal, { readonly name: string; readonly handle: string }>();

/** A volume with content loses its claim, for good; one more is made where an attempt has failed. */
async function detachVolume(context: ScenarioContext): Promise<void> {
  const { client, clock, signal } = context;
  await insist(async (index) => {
    const name = `detach-${index}`;
    const claim = await boundClaim(context, name);
    if (claim === undefined) return true;
    const handle = await handleOf(client, name);
    storageBackend(signal, clock).write(handle, 'file', 'then');
    await client.create(VOLUME_CAPTURE_REQUESTS, detach(name, claim.metadata.uid));
    if ((await ended(context, VOLUME_CAPTURE_REQUESTS, name)) === undefined) return false;
    detached.set(signal, { name: claim.spec.volumeName ?? '', handle });
    return true;
  });
}

const finished = new WeakSet<AbortSignal>();

async function script(context: ScenarioContext): Promise<void> {
  const volumes = async (): Promise<void> => {
    await prepareClasses(context);
    await Promise.all([captureVolume(context), detachVolume(context)]);
  };
  await Promise.all([captureManifests(context), volumes(), keepForMap(context)]);
  finished.add(context.signal);
}

/** Somebody changes what is being captured. */
async function rival({ client, random }: ScenarioContext): Promise<void> {
  const object = configMap('one', String(random.below(1000)));
  await client.apply(corev1.configmaps, object, { fieldManager: 'rival', force: true });
}

const LEFT_BEHIND: readonly Ref[] = [
  MANIFEST_CAPTURE_REQUESTS,
  VOLUME_CAPTURE_REQUESTS,
  VOLUME_RESTORE_REQUESTS,
  OBJECT_KEEPERS,
  MANIFEST_CHECKPOINTS,
  CONTENT_CHUNKS,
  volumesnapshots,
  volumesnapshotcontents,
];

/** In the end nothing is left of the requests but the claim, and that has the content of the moment. */
async function missing(context: ScenarioContext): Promise<string | undefined> {
  const { client, clock, signal } = context;
  if (!finished.has(signal)) return 'not all requests have succeeded';
  for (const ref of LEFT_BEHIND) {
    const { items } = await client.list(ref).catch((error: unknown) => {
      if (isNotFound(error)) return { items: [] };
      throw error;
    });
    const [left] = items;
    if (left !== undefined) return `${left.kind} ${left.metadata.name} is still there`;
  }
  const disks = storageBackend(signal, clock);
  const [snapshotLeft] = disks.snapshots();
  if (snapshotLeft !== undefined) return `the storage system still has ${snapshotLeft.handle}`;
  for (const namespace of PLACES) {
    const fault = await restoreFault(context, namespace);
    if (fault !== undefined) return fault;
  }
  return lostVolume(context);
}

async function restoreFault(
  { client, clock, signal }: ScenarioContext,
  namespace: string,
): Promise<string | undefined> {
  const disks = storageBackend(signal, clock);
  const { items: claims } = await client.list(corev1.persistentvolumeclaims, { namespace });
  const restored = claims.filter(
    ({ metadata, status }) => metadata.name.startsWith('restored-') && status?.phase === 'Bound',
  );
  if (restored.length === 0) return `no claim is restored in namespace ${namespace}`;
  for (const { metadata } of restored) {
    const { file } = disks.volume(await handleOf(client, metadata.name, namespace)).content;
    if (file !== 'then') return `${namespace}/${metadata.name} holds ${file ?? 'nothing'}`;
  }
  return undefined;
}

/** Of a detached volume the object is gone with its request, and the content is still there. */
async function lostVolume({ client, clock, signal }: ScenarioContext): Promise<string | undefined> {
  const { name, handle } = detached.get(signal) ?? { name: '', handle: '' };
  const volume = await ignoreNotFound(client.get(corev1.persistentvolumes, { name }));
  if (volume !== undefined) return `the detached PersistentVolume ${name} is still there`;
  const kept = storageBackend(signal, clock)
    .volumes()
    .find((one) => one.handle === handle);
  // One that went with its claim breaks an invariant.
  if (kept === undefined || kept.content['file'] === 'then') return undefined;
  return `the detached volume holds ${kept.content['file'] ?? 'nothing'}`;
}

type DayOptions = {
  /** Of two managers one leads, and the other one goes on when that crashes. */
  readonly replicas?: 1 | 2;
  readonly requestTtl?: string;
};

export function captureDay(
  changes: CaptureChanges = {},
  { replicas = 1, requestTtl = REQUEST_TTL }: DayOptions = {},
): OperatorDay {
  return {
    name: 'capture',
    operator: capturePartsWith(changes),
    operatorIn: withReader,
    replicas,
    env: { REQUEST_TTL: requestTtl },
    anyKind: { apiGroups: [''], resources: ['configmaps'] },
    components: [
      clusterComponent({
        controllers: [
          'garbage-collector-controller',
          'persistentvolume-binder-controller',
          'persistentvolume-protection-controller',
          'persistentvolumeclaim-protection-controller',
        ],
        nodes: 0,
        scheduler: false,
        storage: { backoff: { baseMs: 1000, maxMs: 30_000 } },
      }),
    ],
    observed: [
      ['', 'configmaps'],
      ['', 'namespaces'],
      ['', 'persistentvolumeclaims'],
      ['', 'persistentvolumes'],
      ['deckhouse.io', 'objectkeepers'],
      ['state-snapshotter.deckhouse.io', 'manifestcapturerequests'],
      ['state-snapshotter.deckhouse.io', 'manifestcheckpoints'],
      ['state-snapshotter.deckhouse.io', 'manifestcheckpointcontentchunks'],
      ['storage-foundation.deckhouse.io', 'volumecapturerequests'],
      ['storage-foundation.deckhouse.io', 'volumerestorerequests'],
      ['snapshot.storage.k8s.io', 'volumesnapshotcontents'],
    ],
    async prepare({ client }) {
      const elsewhere = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ELSEWHERE } };
      await client.create<KubeObject>(corev1.namespaces, elsewhere);
      for (const name of MAPS) await client.create(corev1.configmaps, configMap(name, '0'));
      // It is captured, and so has to be in the history.
      const body = { metadata: { labels: { team: 'shop' } } };
      await client.patch(corev1.namespaces, { name: NAMESPACE }, { type: 'merge', body });
    },
    script,
    rival,
    missing,
    calls: CALLS,
    invariants: captureInvariants,
  };
}

export const captureScenario = (changes: CaptureChanges = {}, options: DayOptions = {}): Scenario =>
  operatorScenario(captureDay(changes, options));
