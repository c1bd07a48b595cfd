import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { installDefinitions } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { VOLUME_CAPTURE_REQUESTS } from './volume-capture-request.ts';

const key = { namespace: 'default', name: 'data' };
const detach = { type: 'merge', body: { spec: { mode: 'Detach' } } } as const;

test('CAP-3 a volume request cannot be changed while it runs; afterwards nobody reads it', async () => {
  const client = createClient(createApiServer().transport());
  await installDefinitions(client, [VOLUME_CAPTURE_REQUESTS.definition], { fieldManager: 'test' });
  await client.create(VOLUME_CAPTURE_REQUESTS, {
    apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
    kind: 'VolumeCaptureRequest',
    metadata: key,
    spec: {
      mode: 'Snapshot',
      target: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: 'data', uid: 'any' },
    },
  });
  await expect(client.patch(VOLUME_CAPTURE_REQUESTS, key, detach)).rejects.toMatchObject({
    code: 422,
    message: expect.stringContaining('immutable'),
  });
  const body = { status: { completionTimestamp: '2026-01-01T00:00:00Z' } };
  await client.patch(VOLUME_CAPTURE_REQUESTS, key, { type: 'merge', body }, { subresource: 'status' });
  expect((await client.patch(VOLUME_CAPTURE_REQUESTS, key, detach)).spec.mode).toBe('Detach');
});
