import { corev1, type Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { MANIFEST_CAPTURE_REQUESTS, type ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from '../api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from '../api/object-keeper.ts';
import { captureParts } from '../controller.ts';
import { newKeeper } from '../requests/keeper-state.ts';
import { NAMES } from '../requests/names.ts';
import { readSettings } from '../settings.ts';
import { createManifestRequest, finished } from '../testing/make-requests.ts';
import { useServer } from '../testing/use-server.ts';
import { addManifestCapture } from './add-manifest-capture.ts';

const site = useServer(captureParts.resources.map(({ definition }) => definition));
const TARGET = { apiVersion: 'v1', kind: 'ConfigMap', name: 'one' };

/** A request for a ConfigMap of its namespace, when it has ended. */
async function captured(namespace: string, name: string): Promise<ManifestCaptureRequest> {
  const requester = { admin: site.admin, namespace };
  await createManifestRequest(requester, name, [TARGET]);
  return finished(requester, MANIFEST_CAPTURE_REQUESTS, name);
}

async function createConfigMap(namespace: string): Promise<void> {
  const metadata = { namespace, name: TARGET.name };
  await site.admin.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
}

const run = (transport?: Transport) =>
  site.run((manager) => addManifestCapture(manager, readSettings({})), transport && { transport });

const reasonOf = ({ status }: ManifestCaptureRequest) => status?.conditions?.[0]?.reason;

test('CAP-87 CAP-D13 requests whose namespaces and names run together, and one made anew at once, have a keeper each', async () => {
  const { admin } = site;
  for (const name of ['a', 'a-b']) {
    await admin.create(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: {},
    });
    await createConfigMap(name);
  }
  run();
  const requests = [await captured('a', 'b-c'), await captured('a-b', 'c')];
  await admin.delete(MANIFEST_CAPTURE_REQUESTS, { namespace: 'a', name: 'b-c' });
  // Nobody has deleted the keeper of the one before.
  requests.push(await captured('a', 'b-c'));
  expect(requests.map(reasonOf)).toEqual(['Completed', 'Completed', 'Completed']);
  const keepers = (await admin.list(OBJECT_KEEPERS)).items;
  expect(keepers).toHaveLength(3);
  expect(new Set(keepers.map(({ spec }) => spec.followObjectRef?.uid))).toEqual(
    new Set(requests.map(({ metadata }) => metadata.uid)),
  );
});

test('CAP-28 CAP-D14 a keeper that another process has created since it was looked for is used', async () => {
  const { admin } = site;
  await createConfigMap('default');
  let creations = 0;
  const behind = site.slow('POST', async ({ path }) => {
    if (!path.endsWith('/objectkeepers') || ++creations > 1) return;
    const [request] = (await admin.list(MANIFEST_CAPTURE_REQUESTS)).items;
    if (request === undefined) expect.fail('there is no request');
    await admin.create(OBJECT_KEEPERS, newKeeper(request, NAMES.manifestKeeper(request.metadata.uid)));
  });
  run(behind);
  const done = await captured('default', 'late');
  expect(creations).toBe(1);
  expect(reasonOf(done)).toBe('Completed');
  const [keeper, ...more] = (await admin.list(OBJECT_KEEPERS)).items;
  expect(more).toEqual([]);
  const { metadata } = await admin.get(MANIFEST_CHECKPOINTS, { name: done.status?.checkpointName ?? '' });
  expect(metadata.ownerReferences).toMatchObject([{ uid: keeper?.metadata.uid, controller: true }]);
});
