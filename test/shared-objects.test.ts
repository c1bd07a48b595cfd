import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { expect, test } from 'vitest';

const KEY = { namespace: 'default', name: 'a' };
const MAP: corev1.ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: KEY, data: { text: 'x' } };

test('who reads in the process of the server is given its objects, frozen, and not copies', async () => {
  const server = createApiServer();
  const client = createClient(server.transport());
  const made = await client.create(corev1.configmaps, MAP);
  const { items } = await client.list(corev1.configmaps, { namespace: 'default' });
  expect(await client.get(corev1.configmaps, KEY)).toBe(made);
  expect(items).toHaveLength(1);
  expect(items[0]).toBe(made);
  expect(Object.isFrozen(made.metadata)).toBe(true);
  const { items: metadata } = await createClient(server.transport(), { metadataOnly: true }).list(
    corev1.configmaps,
    { namespace: 'default' },
  );
  expect(metadata[0]).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
  expect(metadata[0]?.metadata).toBe(made.metadata);
  await server.close();
});

test('a list of pages, and one with a selector, are what they would be if they were parsed', async () => {
  const server = createApiServer();
  const client = createClient(server.transport());
  for (const name of ['a', 'b', 'c'])
    await client.create(corev1.configmaps, { ...MAP, metadata: { ...KEY, name, labels: { name } } });
  const first = await client.list(corev1.configmaps, { namespace: 'default', limit: 2 });
  expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  const rest = await client.list(corev1.configmaps, { namespace: 'default', continue: first.continue });
  expect(rest.items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['ConfigMap c']);
  const chosen = await client.list(corev1.configmaps, { namespace: 'default', labelSelector: 'name=b' });
  expect(chosen.items).toEqual([await client.get(corev1.configmaps, { ...KEY, name: 'b' })]);
  expect(chosen).toMatchObject({ resourceVersion: first.resourceVersion });
  await server.close();
});
