import type { Client } from '@kubewright/client';
import { appsv1, corev1, customResource, s, type Stored } from '@kubewright/kube';
import { expect, expectTypeOf, it } from 'vitest';
import { applyObject } from './apply-object.ts';
import { updateStatus } from './update-status.ts';

const sites = customResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  scope: 'Namespaced',
  schema: s.object({
    spec: s.object({ host: s.string(), replicas: s.integer({ default: 1 }) }),
    status: s.optional(s.object({ ready: s.boolean() })),
  }),
});
const metadata = { namespace: 'ns', name: 'a' };
const site = { apiVersion: 'example.com/v1', kind: 'Site', metadata };
const fieldManager = 'test';

/** For the compiler alone: nobody calls these. */
const calls = {
  async reads(client: Client) {
    const pod = await client.get(corev1.pods, metadata);
    expectTypeOf(pod).toEqualTypeOf<Stored<corev1.Pod>>();
    expectTypeOf(pod.metadata.namespace).toBeString();
    expectTypeOf(pod.metadata.resourceVersion).toBeString();
    const read = await client.get(sites, metadata);
    expectTypeOf(read.spec.replicas).toBeNumber();
    expectTypeOf(read.metadata.uid).toBeString();
  },
  async creates(client: Client) {
    await client.create(sites, { ...site, spec: { host: 'a.example.com' } });
    // @ts-expect-error a namespaced object needs a namespace
    await client.create(sites, { ...site, metadata: { name: 'a' }, spec: { host: 'a.example.com' } });
    // @ts-expect-error a field that has no default is required
    await client.create(sites, { ...site, spec: { replicas: 2 } });
    // @ts-expect-error there is no such field
    await client.create(sites, { ...site, spec: { host: 'a.example.com', replica: 2 } });
  },
  async applies(client: Client) {
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata } as const;
    await applyObject(
      { client },
      appsv1.deployments,
      { ...deployment, spec: { replicas: 3 } },
      { fieldManager },
    );
    await client.apply(appsv1.deployments, {
      ...deployment,
      spec: { template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } } },
    });
    await client.apply(sites, { ...site, spec: { replicas: 2 } });
    // @ts-expect-error there is no such field
    await client.apply(appsv1.deployments, { ...deployment, spec: { replica: 3 } });
    // @ts-expect-error there is no such field
    await client.apply(sites, { ...site, spec: { hots: 'a' } });
    // @ts-expect-error there is no such field
    await client.apply(sites, { ...site, sepc: { host: 'a' } });
  },
  async statuses(client: Client, deployment: Stored<appsv1.Deployment>) {
    await updateStatus({ client }, appsv1.deployments, deployment, { readyReplicas: 1 });
    // @ts-expect-error there is no such field
    await updateStatus({ client }, appsv1.deployments, deployment, { readyReplica: 1 });
    // @ts-expect-error what was not read from a server has no resourceVersion to guard the write
    await updateStatus({ client }, appsv1.deployments, { ...deployment, metadata }, { readyReplicas: 1 });
  },
};

it('is what the compiler says of reads, creates, applies and statuses', () => {
  expect(Object.keys(calls)).toEqual(['reads', 'creates', 'applies', 'statuses']);
});
