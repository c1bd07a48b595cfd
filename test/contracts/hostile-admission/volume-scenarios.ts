import { corev1, type JsonObject, storagev1 } from '@kubewright/kube';
import type { Place, Scenario } from './scenario.ts';

const HOOK = ['/metadata/labels/hook', 'yes'] as const;
const ONCE = ['ReadWriteOnce'];
const DRIVER = 'disk.example.com';

/** A volume and a claim that no others fit. */
async function claim(place: Place): Promise<void> {
  const storageClassName = place.namespace;
  const csi = { driver: DRIVER, volumeHandle: place.namespace };
  const volume = { accessModes: ONCE, capacity: { storage: '1Gi' }, storageClassName, csi };
  await place.create(corev1.persistentvolumes, 'pv', { spec: volume });
  const requests = { storage: '1Gi' };
  await place.create(corev1.persistentvolumeclaims, 'data', {
    spec: { accessModes: ONCE, resources: { requests }, storageClassName },
  });
}

function use(place: Place, nodeName: string): Promise<unknown> {
  const containers = [{ name: 'a', image: 'a' }];
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  return place.create(corev1.pods, 'user', { spec: { containers, volumes, nodeName } });
}

async function seeVolumes(place: Place): Promise<JsonObject> {
  const { items } = await place.client.list(corev1.persistentvolumes);
  const volumes = items.filter(({ metadata }) => metadata.name?.startsWith(place.namespace));
  const claims = await place.list(corev1.persistentvolumeclaims);
  const shown = ({ metadata, status }: corev1.PersistentVolume | corev1.PersistentVolumeClaim): string =>
    [
      status?.phase,
      ...Object.keys(metadata.labels ?? {}),
      ...(metadata.finalizers ?? []),
      ...(metadata.deletionTimestamp === undefined ? [] : ['leaving']),
    ].join(' ');
  return { volumes: volumes.map(shown), claims: claims.map(shown) };
}

const inBinder = { account: 'persistent-volume-binder', play: claim, see: seeVolumes };

const inClaimProtection: Omit<Scenario, 'target'> = {
  account: 'pvc-protection-controller',
  async play(place) {
    await claim(place);
    await place.client.delete(
      corev1.persistentvolumeclaims,
      place.key(corev1.persistentvolumeclaims, 'data'),
    );
  },
  see: async (place) => (await place.list(corev1.persistentvolumeclaims)).length,
};

const inVolumeProtection: Omit<Scenario, 'target'> = {
  account: 'pv-protection-controller',
  async play(place) {
    const csi = { driver: DRIVER, volumeHandle: place.namespace };
    const spec = { accessModes: ONCE, capacity: { storage: '1Gi' }, csi };
    await place.create(corev1.persistentvolumes, 'pv', { spec });
    await place.client.delete(corev1.persistentvolumes, place.key(corev1.persistentvolumes, 'pv'));
  },
  async see(place) {
    const { items } = await place.client.list(corev1.persistentvolumes);
    return items.filter(({ metadata }) => metadata.name?.startsWith(place.namespace)).length;
  },
};

const inEphemeral: Omit<Scenario, 'target'> = {
  account: 'ephemeral-volume-controller',
  async play(place) {
    const resources = { requests: { storage: '1Gi' } };
    const spec = { accessModes: ONCE, resources, storageClassName: place.namespace };
    const volumes = [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec } } }];
    await place.create(corev1.pods, 'user', { spec: { containers: [{ name: 'a', image: 'a' }], volumes } });
  },
  async see(place) {
    const claims = await place.list(corev1.persistentvolumeclaims);
    return claims.map(({ metadata }) => [
      metadata.name ?? '',
      (metadata.ownerReferences ?? []).length,
      Object.keys(metadata.labels ?? {}).length,
    ]);
  },
};

const inAttachDetach: Omit<Scenario, 'target'> = {
  account: 'attachdetach-controller',
  async play(place) {
    const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
    await place.create(corev1.nodes, 'node', { metadata: { annotations }, spec: {} });
    await claim(place);
    await place.one(corev1.persistentvolumeclaims, ({ status }) => status?.phase === 'Bound');
    await use(place, `${place.namespace}-node`);
  },
  async see(place) {
    const { items } = await place.client.list(storagev1.volumeattachments);
    const own = items.filter(({ spec }) => spec.nodeName === `${place.namespace}-node`);
    return own.map(({ metadata, spec }) => [spec.attacher, Object.keys(metadata.labels ?? {}).length]);
  },
};

const LATE = ['none', 'delayed', 'rejected'] as const;

/** Volumes, which nobody provisions or attaches. */
export const VOLUMES: readonly Scenario[] = [
  // What does not take hold is written again with every look, for ever, by both.
  { ...inBinder, target: { resource: 'persistentvolumes' }, only: LATE },
  { ...inBinder, target: { resource: 'persistentvolumeclaims', change: HOOK }, only: [...LATE, 'changed'] },
  { ...inBinder, target: { resource: 'persistentvolumeclaims/status' }, only: LATE },
  { ...inClaimProtection, target: { resource: 'persistentvolumeclaims', change: HOOK } },
  { ...inVolumeProtection, target: { resource: 'persistentvolumes', change: HOOK } },
  {
    ...inEphemeral,
    target: { resource: 'persistentvolumeclaims', strip: '/metadata/ownerReferences', change: HOOK },
  },
  { ...inAttachDetach, target: { resource: 'volumeattachments', change: HOOK } },
];
