import { createApiServer } from '@kubewright/apiserver';
import { createClient, createManualClock } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { Need } from './needs.ts';
import { neededObjects } from './needed-objects.ts';

const CERTIFICATES: Need = { kind: 'ConfigMap', name: 'kube-root-ca.crt', keys: ['ca.crt'] };
const OTHER: Need = { kind: 'ConfigMap', name: 'other', keys: [] };

/** A server with these ConfigMaps in two namespaces; `reads` are those that it gets from now on. */
async function setUp(names: readonly string[]) {
  const server = createApiServer();
  const client = createClient(server.transport());
  for (const namespace of ['a', 'b']) {
    await client.create(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
      spec: {},
    });
    for (const name of names)
      await client.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name },
      });
  }
  const recording = server.recordRequests();
  const reads = (): readonly string[] =>
    recording.requests.map(({ path }) => path.split('/').slice(4).join('/'));
  return { client, reads };
}

test('nodes read the certificates of a namespace once a minute, whatever the number of its pods', async () => {
  const clock = createManualClock();
  const objects = neededObjects(clock);
  const { client, reads } = await setUp(['kube-root-ca.crt', 'other']);
  const start = async (): Promise<void> => {
    for (const namespace of ['a', 'b', 'a'])
      for (const need of [CERTIFICATES, OTHER]) await objects.read(client, need, namespace);
  };
  await start();
  const [certificates, other] = ['configmaps/kube-root-ca.crt', 'configmaps/other'];
  expect(reads()).toEqual([
    `a/${certificates}`,
    `a/${other}`,
    `b/${certificates}`,
    `b/${other}`,
    `a/${other}`,
  ]);
  await clock.advance(60_000);
  await start();
  expect(reads().filter((read) => read === `a/${certificates}`)).toHaveLength(2);
});

test('certificates that are not there yet are looked for again', async () => {
  const objects = neededObjects(createManualClock());
  const { client, reads } = await setUp([]);
  for (let pod = 0; pod < 2; pod++) expect(await objects.read(client, CERTIFICATES, 'a')).toBeUndefined();
  expect(reads()).toHaveLength(2);
});
