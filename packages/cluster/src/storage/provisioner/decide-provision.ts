import { type corev1, defined, type storagev1, type Stored } from '@kubewright/kube';
import { parseQuantity, quantityAsInteger, scaledQuantity } from '@kubewright/kube/quantity';
import { PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER } from '../../controllers/volumes/annotations.ts';
import type { VolumeOrder } from '../backend/storage-backend.ts';
import type { Claim, ObservedClaim, ObservedSource, ProvisionStep, Volume } from './provision-step.ts';

export const PROVISIONER_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

/** Parameters with this prefix are for the provisioner, not for the storage system. */
const OWN_PARAMETERS = 'csi.storage.k8s.io/';

/** What the provisioner of `driver` does about a claim. */
export function decideProvision(observed: ObservedClaim, driver: string): ProvisionStep {
  const { claim, storageClass, isMade, source } = observed;
  const none = (reason: string): ProvisionStep => ({ type: 'none', reason });
  if (storageClass?.provisioner !== driver || !asks(claim, driver)) return none('NotOurs');
  if (isMade || waits(claim, storageClass)) return none(isMade ? 'Made' : 'WaitsForNode');
  if (source.type === 'foreign') return none('ForeignSource');
  if (source.type === 'unfit') return { type: 'fail', message: source.why };
  const order = orderFor(claim, storageClass, source);
  return {
    type: 'create',
    order,
    volume: (handle) => volumeFor(observed, storageClass, { order, handle, driver }),
  };
}

function orderFor(
  claim: Claim,
  { parameters = {} }: Stored<storagev1.StorageClass>,
  source: Extract<ObservedSource, { type: 'known' | 'none' }>,
): VolumeOrder {
  return {
    name: volumeNameOf(claim),
    sizeBytes: sizeOf(claim),
    parameters: forDriver(parameters),
    ...(source.type === 'known' ? { source: source.source } : {}),
  };
}

export function volumeNameOf({ metadata }: Claim): string {
  return `pvc-${metadata.uid}`;
}

/** The binder has asked this driver, and the claim has no volume yet. */
function asks({ metadata, spec }: Claim, driver: string): boolean {
  const asked = metadata.annotations?.[STORAGE_PROVISIONER];
  return asked === driver && (spec.volumeName ?? '') === '' && metadata.deletionTimestamp === undefined;
}

function waits({ metadata }: Claim, { volumeBindingMode }: Stored<storagev1.StorageClass>): boolean {
  const node = metadata.annotations?.[SELECTED_NODE] ?? '';
  return volumeBindingMode === 'WaitForFirstConsumer' && node === '';
}

export function sizeOf({ spec }: Claim): number {
  return bytesOf(spec.resources?.requests?.['storage'] ?? '0');
}

/** Whole bytes, rounded up. */
export function bytesOf(quantity: string): number {
  const parsed = parseQuantity(quantity);
  return Number(quantityAsInteger(parsed) ?? scaledQuantity(parsed, 0));
}

function forDriver(parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(parameters).filter(([key]) => !key.startsWith(OWN_PARAMETERS)));
}

type Made = { readonly order: VolumeOrder; readonly handle: string; readonly driver: string };

/** The PersistentVolume of a volume that was made for a claim. */
function volumeFor(
  { claim, topology }: ObservedClaim,
  storageClass: Stored<storagev1.StorageClass>,
  { order, handle, driver }: Made,
): corev1.PersistentVolume {
  const { accessModes, volumeMode, volumeAttributesClassName, resources } = claim.spec;
  const { metadata, reclaimPolicy = 'Delete', mountOptions, parameters = {} } = storageClass;
  const finalizers = reclaimPolicy === 'Delete' ? [PROVISIONER_FINALIZER] : [];
  const fsType = parameters[`${OWN_PARAMETERS}fstype`] ?? 'ext4';
  const annotations = { [PROVISIONED_BY]: driver, ...NO_DELETION_SECRET };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: order.name, annotations, finalizers },
    spec: {
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      csi: { driver, volumeHandle: handle, ...(volumeMode === 'Block' ? {} : { fsType }) },
      claimRef: referenceTo(claim),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: metadata.name,
      ...defined({ accessModes, volumeMode, mountOptions, volumeAttributesClassName }),
      ...nodeAffinity(topology),
    },
  };
}

const NO_DELETION_SECRET = {
  'volume.kubernetes.io/provisioner-deletion-secret-name': '',
  'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
};

function nodeAffinity(topology: Readonly<Record<string, string>>): Pick<Volume['spec'], 'nodeAffinity'> {
  const matchExpressions = Object.entries(topology).map(([key, value]) => ({
    key,
    operator: 'In' as const,
    values: [value],
  }));
  if (matchExpressions.length === 0) return {};
  return { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } };
}

function referenceTo({ metadata }: Claim): NonNullable<Volume['spec']['claimRef']> {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion };
}
