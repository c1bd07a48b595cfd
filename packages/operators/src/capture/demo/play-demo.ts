import { corev1, type ResourceRef, storagev1 } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { demoNamespace } from '../../kit/demo-namespace.ts';
import type { DemoStage } from '../../kit/operator.ts';
import { ANNOTATIONS, VERSION, VOLUME_GROUP } from '../api/annotations.ts';
import { CONTENT_CHUNKS } from '../api/content-chunk.ts';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from '../api/manifest-checkpoint.ts';
import { VOLUME_RESTORE_REQUESTS } from '../api/volume-restore-request.ts';
import { OBJECT_KEEPERS } from '../api/object-keeper.ts';
import { requestManifests } from '../commands/capture-namespace.ts';
import { requestSnapshot } from '../commands/capture-pvc.ts';
import { followRequest } from '../commands/follow-request.ts';
import { NAMES } from '../requests/names.ts';

const NAMESPACE = 'demo-capture';
const CLASS = 'standard';

type Scene = DemoStage & { readonly say: (text: string) => void };

/** Captures a namespace, takes a snapshot and restores it, and shows that artifacts are deleted with their request. */
export async function playDemo(stage: DemoStage): Promise<void> {
  const say = (text: string): void => stage.out(`   ${text.trimEnd().replaceAll('\n', '\n   ')}\n`);
  const scene = { ...stage, say, out: (text: string) => say(`  ${text}`) };
  await prepare(scene);
  await captureAndDelete(scene);
  await snapshotAndRestore(scene);
}

async function prepare(scene: Scene): Promise<void> {
  const { client, signal } = scene;
  await demoNamespace(scene, NAMESPACE);
  const annotations = { [ANNOTATIONS.snapshotClass]: CLASS };
  await client.patch(
    storagev1.storageclasses,
    { name: CLASS },
    { type: 'merge', body: { metadata: { annotations } } },
  );
  const metadata = { namespace: NAMESPACE, name: 'prices' };
  await client.create(corev1.configmaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { tea: '3' },
  });
  const key = { namespace: NAMESPACE, name: 'orders' };
  await client.create(corev1.persistentvolumeclaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: key,
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: CLASS,
    },
  });
  await waitForObject(
    client,
    corev1.persistentvolumeclaims,
    key,
    (claim) => claim?.status?.phase === 'Bound',
    { signal },
  );
}

async function captureAndDelete(scene: Scene): Promise<void> {
  const { client, say, signal, paint } = scene;
  say(`"kubewright capture namespace ${NAMESPACE}" creates a ManifestCaptureRequest:`);
  const { metadata, status } = await requestManifests(scene, NAMESPACE);
  const keeper = NAMES.manifestKeeper(metadata.uid);
  const checkpoint = status?.checkpointName ?? '';
  say(`An ObjectKeeper follows the request and owns the checkpoint: ${keeper} -> ${checkpoint}.`);
  const { status: stored } = await client.get(MANIFEST_CHECKPOINTS, { name: checkpoint });
  const chunks = stored?.chunks ?? [];
  const gone = (ref: ResourceRef, name: string): Promise<unknown> =>
    waitForObject(client, ref, { name }, (live) => live === undefined, { signal });
  await client.delete(MANIFEST_CAPTURE_REQUESTS, { namespace: NAMESPACE, name: metadata.name });
  await gone(OBJECT_KEEPERS, keeper);
  await gone(MANIFEST_CHECKPOINTS, checkpoint);
  for (const { name } of chunks) await gone(CONTENT_CHUNKS, name);
  say(
    `The request is deleted, and ${paint('green', 'everything made for it is gone')}: its keeper has deleted itself, and the garbage collector what it owned.`,
  );
}

async function snapshotAndRestore(scene: Scene): Promise<void> {
  const { client, say, paint } = scene;
  say(
    '"kubewright capture pvc orders" takes a snapshot of its volume, and a VolumeRestoreRequest makes a claim from it:',
  );
  const { status } = await requestSnapshot(scene, { namespace: NAMESPACE, name: 'orders' });
  const request = await client.create(VOLUME_RESTORE_REQUESTS, {
    apiVersion: `${VOLUME_GROUP}/${VERSION}`,
    kind: VOLUME_RESTORE_REQUESTS.kind,
    metadata: { namespace: NAMESPACE, generateName: 'orders-' },
    spec: {
      sourceRef: { kind: 'VolumeSnapshotContent', name: status?.data?.artifactRef.name ?? '' },
      pvcTemplate: { metadata: { name: 'orders-restored' }, spec: { storageClassName: CLASS } },
    },
  });
  await followRequest(scene, VOLUME_RESTORE_REQUESTS, request);
  say(
    `${paint('green', 'persistentvolumeclaim/orders-restored')} is bound, and stays when the requests go after their TTL.`,
  );
}
