import { ApiError } from '@kubewright/client';
import { expect, test } from 'vitest';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { captureParts } from '../controller.ts';
import { readSettings } from '../settings.ts';
import { finished } from '../testing/make-requests.ts';
import { useServer } from '../testing/use-server.ts';
import { addManifestCapture } from './add-manifest-capture.ts';

const site = useServer(captureParts.resources.map(({ definition }) => definition));

test('CAP-186 a capture of objects that the server cannot read for now ends at its deadline', async () => {
  const namespace = 'default';
  await site.admin.create(MANIFEST_CAPTURE_REQUESTS, {
    apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
    kind: 'ManifestCaptureRequest',
    metadata: { namespace, name: 'never' },
    spec: { targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'one' }], deadlineSeconds: 1 },
  });
  const transport = site.slow('GET', async ({ path }) => {
    if (!path.includes('/configmaps/')) return;
    const message = 'the server is currently unable to handle the request';
    throw new ApiError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 503,
      reason: 'ServiceUnavailable',
      message,
    });
  });
  site.run((manager) => addManifestCapture(manager, readSettings({})), { transport });
  const { status } = await finished({ admin: site.admin, namespace }, MANIFEST_CAPTURE_REQUESTS, 'never');
  expect(status?.conditions?.[0]).toMatchObject({
    type: 'Ready',
    status: 'False',
    reason: 'DeadlineExceeded',
    message: 'not done after 1 s',
  });
});
