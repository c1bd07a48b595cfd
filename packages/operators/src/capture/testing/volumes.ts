import { type Client, keyOf } from '@kubewright/client';
import { corev1, storagev1, type Stored } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { ANNOTATIONS } from '../api/annotations.ts';

/** The classes that come with the simulated CSI driver. */
const STANDARD = 'standard';

/** Says which snapshots belong to the volumes of the driver's class. */
export async function nameSnapshotClass(admin: Client): Promise<void> {
  const body = { metadata: { annotations: { [ANNOTATIONS.snapshotClass]: STANDARD } } };
  await admin.patch(storagev1.storageclasses, { name: STANDARD }, { type: 'merge', body });
}

type Claim = Stored<corev1.PersistentVolumeClaim>;

/** A claim with a volume of the simulated driver. */
export async function boundClaim(
  admin: Client,
  namespace: string,
  name: string,
  storageClassName = STANDARD,
): Promise<Claim> {
  await admin.create(corev1.persistentvolumeclaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName,
    },
  });
  const bound = await waitForObject(
    admin,
    corev1.persistentvolumeclaims,
    { namespace, name },
    (claim) => claim?.status?.phase === 'Bound',
  );
  if (bound === undefined) throw new TypeError('the claim is gone');
  return bound;
}

/** By which the storage system knows a claim's volume. */
export async function handleOf(admin: Client, claim: Claim): Promise<string> {
  const { spec } = await admin.get(corev1.persistentvolumeclaims, keyOf(claim));
  const volume = await admin.get(corev1.persistentvolumes, { name: spec.volumeName ?? '' });
  return volume.spec.csi?.volumeHandle ?? '';
}
