import { corev1 } from '@kubewright/kube';
import { Registry, waitForObject } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { captureParts } from '../controller.ts';
import { addKeepers } from '../keepers/add-keepers.ts';
import { addManifestCapture } from '../manifests/add-manifest-capture.ts';
import { readSettings } from '../settings.ts';
import { createManifestRequest, createSnapshotRequest, finished } from '../testing/make-requests.ts';
import { useServer } from '../testing/use-server.ts';
import { addVolumeCapture } from '../volumes/snapshot/add-volume-capture.ts';

const site = useServer(captureParts.resources.map(({ definition }) => definition));
const namespace = 'default';

test('CAP-D24 how requests end, what is stored for them, and which have not ended, is counted', async () => {
  const registry = new Registry();
  site.run(
    (manager) => {
      addKeepers(manager, readSettings({}));
      addManifestCapture(manager, readSettings({}));
      addVolumeCapture(manager);
    },
    { registry },
  );
  const requester = { admin: site.admin, namespace };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'one' } } as const;
  await site.admin.create(corev1.configmaps, object);
  const { apiVersion, kind } = object;
  await createManifestRequest(requester, 'whole', [{ apiVersion, kind, name: 'one' }]);
  await finished(requester, MANIFEST_CAPTURE_REQUESTS, 'whole');
  await createSnapshotRequest(requester, 'of-nothing', { name: 'nowhere', uid: 'any' });
  await finished(requester, VOLUME_CAPTURE_REQUESTS, 'of-nothing');
  await waitForObject(
    site.admin,
    { group: 'deckhouse.io', version: 'v1alpha1', kind: 'ObjectKeeper' },
    {
      name:
        (await site.admin.list({ group: 'deckhouse.io', version: 'v1alpha1', kind: 'ObjectKeeper' })).items[0]
          ?.metadata.name ?? '',
    },
    (keeper) => keeper?.['status'] !== undefined,
  );
  const text = await registry.metrics();
  const requests = 'capture_requests_total';
  expect(text).toContain(
    `${requests}{kind="ManifestCaptureRequest",result="succeeded",mode="Manifests",reason="Completed"} 1`,
  );
  expect(text).toContain(
    `${requests}{kind="VolumeCaptureRequest",result="failed",mode="Snapshot",reason="NotFound"} 1`,
  );
  expect(text).toMatch(/duration_seconds_count\{kind="ManifestCaptureRequest",result="succeeded"\} 1/);
  expect(text).toMatch(/capture_chunk_bytes_total [1-9]/);
  expect(text).toContain('capture_oldest_pending_seconds{kind="VolumeCaptureRequest"} 0');
  expect(text).toContain('capture_keepers{phase="Tracking"} 1');
});
