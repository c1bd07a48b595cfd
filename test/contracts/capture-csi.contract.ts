import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, type Ref } from '@kubewright/client';
import { corev1, type Stored, storagev1, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../packages/operators/src/capture/api/annotations.ts';
import { OBJECT_KEEPERS } from '../../packages/operators/src/capture/api/object-keeper.ts';
import {
  SNAPSHOT_CLASSES,
  SNAPSHOT_CONTENTS,
  SNAPSHOTS,
  type StoredContent,
} from '../../packages/operators/src/capture/api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../../packages/operators/src/capture/api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from '../../packages/operators/src/capture/api/volume-restore-request.ts';
import { captureParts } from '../../packages/operators/src/capture/controller.ts';
import { admissionChecks } from '../../packages/operators/src/capture/testing/admission-checks.ts';
import {
  createSnapshotRequest,
  finished,
  gone,
  type Requester,
} from '../../packages/operators/src/capture/testing/make-requests.ts';
import { boundClaim, handleOf } from '../../packages/operators/src/capture/testing/volumes.ts';
import { useOperator } from '../../packages/operators/src/kit/testing/use-operator.ts';
import { type CsiDriver, HOSTPATH_DRIVER, startCsiDriver } from '../servers/csi-driver.ts';

/** Classes of the driver: the second one's snapshots fail. */
const CLASS = 'hostpath';
const BROKEN = 'hostpath-broken';
/** The keeper of a capture that nobody's request keeps. */
const KEPT = 'kept-by-hand';
const FILE = 'orders.bin';
/** kube-controller-manager's garbage collector looks for new kinds every 30 s. */
const PATIENCE = { timeout: 120_000 };
/** More than one buffer of anything. */
const BYTES = randomBytes(300_000);

type Cluster = { readonly transport: Transport; readonly kubeconfigPath: string };
type Claim = Stored<corev1.PersistentVolumeClaim>;

/** Captures and restores of volumes by kubernetes-csi's own programs. */
export function captureCsiContract(
  programs: Parameters<typeof startCsiDriver>[0],
  cluster: () => Cluster,
): void {
  const env: Record<string, string> = { REQUEST_TTL: '0' };
  let running: CsiDriver | undefined;
  beforeAll(async () => {
    running = await startCsiDriver(programs, cluster());
    await makeClasses(createClient(cluster().transport));
  });
  afterAll(() => running?.stop());
  const capture = useOperator(() => cluster().transport, captureParts, { env });
  beforeAll(() => admissionChecks(capture));
  const driver = (): CsiDriver => {
    assert(running !== undefined, 'the driver is there only while tests run');
    return running;
  };
  const folderOf = async (claim: Claim): Promise<string> =>
    driver().volumeFolder(await handleOf(capture.admin, claim));
  const writtenClaim = async (name: string, { admin, namespace }: Requester = capture): Promise<Claim> => {
    const claim = await boundClaim(admin, namespace, name, CLASS);
    write(await folderOf(claim), BYTES);
    return claim;
  };
  /** Resolves when its volume is gone too, from the cluster and from the storage system. */
  const deleteClaim = async (claim: Claim): Promise<void> => {
    const { namespace, name } = claim.metadata;
    const handle = await handleOf(capture.admin, claim);
    const { spec } = await capture.admin.get(corev1.persistentvolumeclaims, { namespace, name });
    await capture.admin.delete(corev1.persistentvolumeclaims, { namespace, name });
    await gone(capture.admin, corev1.persistentvolumes, spec.volumeName ?? '');
    expect(driver().stored()).not.toContain(handle);
  };

  test('CAP-1 CAP-49 a claim is captured, deleted and restored: the bytes are those of the capture', async () => {
    const { namespace, admin } = capture;
    const claim = await writtenClaim('orders');
    const handle = await handleOf(admin, claim);
    const content = await captured(capture, claim);
    expect(content).toMatchObject({
      spec: { driver: HOSTPATH_DRIVER, source: { volumeHandle: handle }, deletionPolicy: 'Delete' },
      status: { readyToUse: true, snapshotHandle: expect.any(String) },
    });
    write(driver().volumeFolder(handle), 'written after the capture');
    await deleteClaim(claim);
    expect(driver().stored()).toEqual([archiveOf(content)]);

    const restored = await restoredClaim(capture, content, 'orders-back');
    expect(read(await folderOf(restored))).toEqual(BYTES);
    await admin.delete(VOLUME_RESTORE_REQUESTS, { namespace, name: 'orders-back' });
    const passage = restored.spec.dataSource?.name ?? '';
    await gone(admin, SNAPSHOT_CONTENTS, passage);
    expect((await admin.list(SNAPSHOTS, { namespace })).items).toEqual([]);
    expect(driver().stored()).toContain(archiveOf(content));
    await deleteClaim(restored);
  });

  test('CAP-53 CAP-56 what the driver rejects ends requests with its reason', async () => {
    const { namespace } = capture;
    const claim = await writtenClaim('rejected');
    const content = await captured(capture, claim);
    await createRestore(capture, content, 'too-large', '2Ti');
    const restore = await finished(capture, VOLUME_RESTORE_REQUESTS, 'too-large');
    expect(restore.status?.conditions).toMatchObject([
      { reason: 'RestoreFailed', message: expect.stringContaining('code = OutOfRange desc = ') },
    ]);
    await capture.admin.delete(corev1.persistentvolumeclaims, { namespace, name: 'too-large' });

    const broken = await boundClaim(capture.admin, namespace, 'broken', BROKEN);
    await createSnapshotRequest(capture, 'broken', broken.metadata);
    const failed = await finished(capture, VOLUME_CAPTURE_REQUESTS, 'broken');
    expect(failed.status?.conditions).toMatchObject([
      {
        reason: 'SnapshotCreationFailed',
        message: expect.stringContaining('code = InvalidArgument desc = '),
      },
    ]);
    await Promise.all([claim, broken].map(deleteClaim));
  });

  test('CAP-105 CAP-106 a capture with another keeper survives its claim, its request and its namespace', async () => {
    const { admin } = capture;
    const shop = { admin, namespace: `${capture.namespace}-shop` };
    await makeNamespace(shop);
    const content = await captured(shop, await writtenClaim('orders', shop));
    await keepForever(admin, content);
    await admin.delete(corev1.namespaces, { name: shop.namespace });
    await gone(admin, corev1.namespaces, shop.namespace);
    await gone(admin, OBJECT_KEEPERS, content.metadata.ownerReferences?.[0]?.name ?? '');
    await expect.poll(() => driver().stored()).toContain(archiveOf(content));

    await makeNamespace(shop);
    const restored = await restoredClaim(shop, content, 'orders');
    expect(read(await folderOf(restored))).toEqual(BYTES);
    await admin.delete(corev1.namespaces, { name: shop.namespace });
    await gone(admin, corev1.namespaces, shop.namespace);
    await admin.delete(OBJECT_KEEPERS, { name: KEPT });
    await gone(admin, SNAPSHOT_CONTENTS, content.metadata.name);
  });

  test('CAP-118 after their TTL nothing is left of captures, neither in the cluster nor in the storage system', async () => {
    const { admin, namespace } = capture;
    const claim = await writtenClaim('expired');
    await captured(capture, claim);
    await deleteClaim(claim);
    expect(driver().stored()).not.toEqual([]);
    env['REQUEST_TTL'] = '1s';
    await capture.restart();
    const requests: readonly Ref[] = [VOLUME_CAPTURE_REQUESTS, VOLUME_RESTORE_REQUESTS];
    for (const ref of requests)
      await expect.poll(async () => (await admin.list(ref, { namespace })).items).toEqual([]);
    await expect.poll(async () => (await admin.list(SNAPSHOT_CONTENTS)).items, PATIENCE).toEqual([]);
    expect((await admin.list(OBJECT_KEEPERS)).items).toEqual([]);
    await expect.poll(() => driver().stored()).toEqual([]);
  });
}

async function makeClasses(admin: Client): Promise<void> {
  for (const [name, parameters] of [
    [CLASS, {}],
    [BROKEN, { ignoreFailedRead: 'perhaps' }],
  ] as const) {
    await admin.create(SNAPSHOT_CLASSES, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: { name },
      driver: HOSTPATH_DRIVER,
      deletionPolicy: 'Delete',
      parameters,
    });
    await admin.create(storagev1.storageclasses, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name, annotations: { [ANNOTATIONS.snapshotClass]: name } },
      provisioner: HOSTPATH_DRIVER,
    });
  }
}

async function makeNamespace({ admin, namespace: name }: Requester): Promise<void> {
  await admin.create(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
    spec: {},
  });
}

/** The content of a capture of a claim, which has the claim's name. */
async function captured(requester: Requester, { metadata }: Claim): Promise<StoredContent> {
  await createSnapshotRequest(requester, metadata.name, metadata);
  const { status } = await finished(requester, VOLUME_CAPTURE_REQUESTS, metadata.name);
  expect(status?.conditions).toMatchObject([{ status: 'True', reason: 'Completed' }]);
  return requester.admin.get(SNAPSHOT_CONTENTS, { name: status?.data?.artifactRef.name ?? '' });
}

async function createRestore(
  { admin, namespace }: Requester,
  content: StoredContent,
  name: string,
  storage?: string,
): Promise<void> {
  await admin.create(VOLUME_RESTORE_REQUESTS, {
    apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
    kind: 'VolumeRestoreRequest',
    metadata: { namespace, name },
    spec: {
      sourceRef: { kind: 'VolumeSnapshotContent', name: content.metadata.name },
      pvcTemplate: {
        metadata: { name },
        spec: { storageClassName: CLASS, ...(storage && { resources: { requests: { storage } } }) },
      },
    },
  });
}

/** The claim of a restore, which has its name. */
async function restoredClaim(requester: Requester, content: StoredContent, name: string): Promise<Claim> {
  await createRestore(requester, content, name);
  const { status } = await finished(requester, VOLUME_RESTORE_REQUESTS, name);
  expect(status?.conditions).toMatchObject([{ status: 'True', reason: 'Completed' }]);
  return requester.admin.get(corev1.persistentvolumeclaims, { namespace: requester.namespace, name });
}

/** Another keeper becomes the owner of a content. */
async function keepForever(admin: Client, { metadata: { name } }: StoredContent): Promise<void> {
  const { apiVersion, kind, metadata } = await admin.create(OBJECT_KEEPERS, {
    apiVersion: 'deckhouse.io/v1alpha1',
    kind: 'ObjectKeeper',
    metadata: { name: KEPT },
    spec: { mode: 'TTL', ttl: '1000h' },
  });
  const owner = { apiVersion, kind, name: KEPT, uid: metadata.uid ?? '', controller: true };
  const body = { metadata: { ownerReferences: [owner] } };
  await admin.patch(SNAPSHOT_CONTENTS, { name }, { type: 'merge', body });
}

/** The file of the driver that holds a snapshot. */
function archiveOf({ status }: StoredContent): string {
  return `${status?.snapshotHandle}.snap`;
}

function write(folder: string, content: Uint8Array | string): void {
  writeFileSync(join(folder, FILE), content);
}

function read(folder: string): Uint8Array {
  return readFileSync(join(folder, FILE));
}
