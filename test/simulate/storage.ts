import { type Client, ignoreNotFound, isNotFound, sleep } from '@kubewright/client';
import {
  type BackendVolume,
  type Component,
  type ControllerName,
  type ScenarioContext,
  type Scenario,
  StorageBackend,
  type StorageBackendOptions,
  startControllers,
  startStorage,
  type VolumeOrder,
  type VolumeSnapshot,
  volumesnapshotcontents,
  volumesnapshots,
} from '@kubewright/cluster';
import { type ApiRequest, corev1, type KubeObject, storagev1 } from '@kubewright/kube';

const CONTROLLERS: readonly ControllerName[] = [
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
];
const NAMESPACE = 'default';
const NODE = 'node-1';
/** Calls until everything is made, and some more. */
const CALLS = 200;

/** What outlives the processes of a world, by the signal that is the world's. */
const backends = new WeakMap<AbortSignal, StorageBackend>();

/** Makes the storage system of a variant. */
type Make = (options: StorageBackendOptions) => StorageBackend;
type World = Pick<ScenarioContext, 'clock' | 'signal'>;

/** The response to each third call is lost, and each fifth call fails the first time. */
function backendOf(
  { clock, signal }: World,
  make: Make = (options) => new StorageBackend(options),
): StorageBackend {
  const known = backends.get(signal);
  if (known !== undefined) return known;
  let calls = 0;
  const behave = ({ attempt }: { readonly attempt: number }) => {
    calls++;
    if (attempt > 2) return {};
    if (calls % 5 === 0) return { error: { code: 'Internal', message: 'no' } } as const;
    return { lost: calls % 3 === 0 };
  };
  const backend = make({ clock, behave });
  backends.set(signal, backend);
  return backend;
}

const controllers: Component = {
  name: 'controllers',
  async start({ connect, clock, random, signal }) {
    await startControllers({ connect, clock, random, signal, controllers: CONTROLLERS }).ended;
  },
};

const driver = (make: Make | undefined): Component => ({
  name: 'driver',
  async start({ connect, clock, random, signal }) {
    const backend = backendOf({ clock, signal }, make);
    await startStorage({
      connect,
      clock,
      random,
      signal,
      backend,
      backoff: { baseMs: 1000, maxMs: 30_000 },
    }).ended;
  },
});

const claimOf = (
  name: string,
  spec: Partial<corev1.PersistentVolumeClaimSpec> = {},
): corev1.PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'standard',
    ...spec,
  },
});

const snapshotOf = (name: string, persistentVolumeClaimName: string): VolumeSnapshot => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata: { name, namespace: NAMESPACE },
  spec: { source: { persistentVolumeClaimName } },
});

const podOf = (name: string, claimName: string): corev1.Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    containers: [{ name: 'main', image: 'main' }],
    nodeName: NODE,
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  },
});

const key = (name: string): { readonly namespace: string; readonly name: string } => ({
  namespace: NAMESPACE,
  name,
});

/** Looks every second until it is so. */
async function until({ clock, signal }: ScenarioContext, isSo: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted && !(await isSo())) await sleep(clock, 1000, signal);
}

const isBound = async (client: Client, name: string): Promise<boolean> =>
  (await client.get(corev1.persistentvolumeclaims, key(name))).status?.phase === 'Bound';

/** The definitions come with the driver. */
async function createWhenServed(context: ScenarioContext, snapshot: VolumeSnapshot): Promise<void> {
  await until(context, async () => {
    try {
      await context.client.create(volumesnapshots, snapshot);
      return true;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
  });
}

const FROM_SNAPSHOT = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'kept' } as const;

/** Makes volumes in every way, uses one, and takes some away again. */
async function script(context: ScenarioContext): Promise<void> {
  const { client, clock, random } = context;
  const backend = backendOf(context);
  const pause = (): Promise<void> => sleep(clock, random.below(3000));
  for (const name of ['data', 'gone', 'used']) {
    await client.create(corev1.persistentvolumeclaims, claimOf(name));
    await pause();
  }
  await client.create(corev1.pods, podOf('user', 'used'));
  for (const name of ['data', 'gone', 'used']) await until(context, () => isBound(client, name));
  const { spec } = await client.get(corev1.persistentvolumeclaims, key('data'));
  const volume = await client.get(corev1.persistentvolumes, { name: spec.volumeName ?? '' });
  backend.write(volume.spec.csi?.volumeHandle ?? '', 'file', 'then');
  await createWhenServed(context, snapshotOf('kept', 'data'));
  await createWhenServed(context, snapshotOf('dropped', 'gone'));
  await until(
    context,
    async () => (await client.get(volumesnapshots, key('kept'))).status?.readyToUse === true,
  );
  backend.write(volume.spec.csi?.volumeHandle ?? '', 'file', 'now');
  await client.create(corev1.persistentvolumeclaims, claimOf('restored', { dataSource: FROM_SNAPSHOT }));
  await client.create(
    corev1.persistentvolumeclaims,
    claimOf('clone', { dataSource: { kind: 'PersistentVolumeClaim', name: 'data' } }),
  );
  await until(
    context,
    async () => (await client.get(volumesnapshots, key('dropped'))).status?.readyToUse === true,
  );
  await pause();
  await client.delete(volumesnapshots, key('dropped'));
  await client.delete(corev1.persistentvolumeclaims, key('gone'));
  await pause();
  await client.delete(corev1.pods, key('user'), { gracePeriodSeconds: 0 });
  await client.delete(corev1.persistentvolumeclaims, key('used'));
}

const names = (objects: readonly KubeObject[]): string =>
  objects
    .map(({ metadata }) => metadata.name ?? '')
    .sort()
    .join();

/** What people see, and that the storage system holds that and nothing else. */
async function missing(context: ScenarioContext): Promise<string | undefined> {
  const { client } = context;
  const backend = backendOf(context);
  const { items: claims } = await client.list(corev1.persistentvolumeclaims, { namespace: NAMESPACE });
  if (names(claims) !== 'clone,data,restored') return `the claims are ${names(claims)}`;
  const unbound = claims.filter(({ status }) => status?.phase !== 'Bound');
  if (unbound.length > 0) return `${names(unbound)} not bound`;
  const { items: snapshots } = await client.list(volumesnapshots, { namespace: NAMESPACE });
  if (names(snapshots) !== 'kept') return `the snapshots are ${names(snapshots)}`;
  const { items: attachments } = await client.list(storagev1.volumeattachments);
  if (attachments.length > 0) return 'something is attached';
  return (await leaked(client, backend)) ?? contentFault(client, backend);
}

async function leaked(client: Client, backend: StorageBackend): Promise<string | undefined> {
  const { items: volumes } = await client.list(corev1.persistentvolumes);
  const { items: contents } = await client.list(volumesnapshotcontents);
  const known = [
    ...volumes.map(({ spec }) => spec.csi?.volumeHandle),
    // Without a handle it is an orphan, see isAttempt.
    ...contents.flatMap(({ status }) => status?.snapshotHandle ?? []),
  ];
  const held = [...backend.volumes(), ...backend.snapshots()].map(({ handle }) => handle);
  const same =
    [...held].sort().join() ===
    known
      .map((one) => one ?? '?')
      .sort()
      .join();
  return same ? undefined : `the storage holds ${held.join()}, the cluster knows ${known.join()}`;
}

/**
 * The sidecar's mark on a content that has no snapshot yet. A driver that was paused may create a content after its
 * snapshot and the volume were deleted; nobody deletes it then, and the sidecar tries on, as csi-snapshotter does.
 */
function isAttempt({ path, body }: ApiRequest): boolean {
  return /\/volumesnapshotcontents\/[^/]+$/.test(path) && !String(body).includes('snapshotHandle');
}

async function contentFault(client: Client, backend: StorageBackend): Promise<string | undefined> {
  const claim = await ignoreNotFound(client.get(corev1.persistentvolumeclaims, key('restored')));
  const volume = await client.get(corev1.persistentvolumes, { name: claim?.spec.volumeName ?? '' });
  const { file } = backend.volume(volume.spec.csi?.volumeHandle ?? '').content;
  return file === 'then' ? undefined : `restored is ${file ?? 'empty'}`;
}

/** A CSI driver and the controllers of volumes, over a storage system whose responses get lost. */
export function storageScenario(make?: Make): Scenario {
  return {
    name: 'storage',
    observed: [
      ['', 'persistentvolumes'],
      ['', 'persistentvolumeclaims'],
    ],
    components: [controllers, driver(make)],
    async prepare({ client }) {
      const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
      await client.create(corev1.nodes, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: NODE, annotations },
        spec: {},
      });
    },
    script,
    missing,
    calls: CALLS,
    isHeartbeat: isAttempt,
    invariants: {
      'no volume is given twice': ({ all }) => {
        const owners = new Map<string, string>();
        for (const { resource, object } of all) {
          const { uid } = (object as corev1.PersistentVolume).spec?.claimRef ?? {};
          if (resource !== 'persistentvolumes' || uid === undefined) continue;
          const name = object.metadata.name ?? '';
          if (owners.has(name) && owners.get(name) !== uid) return `${name} changed hands`;
          owners.set(name, uid);
        }
        return undefined;
      },
    },
  };
}

/** Makes another volume each time it is asked, as if nobody had asked before. */
class Forgetful extends StorageBackend {
  #orders = 0;

  override createVolume(order: VolumeOrder): Promise<BackendVolume> {
    return super.createVolume({ ...order, name: `${order.name}-${++this.#orders}` });
  }
}

export const forgetful: Make = (options) => new Forgetful(options);
