import { appsv1, isConditionTrue } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sample, samples } from '../src/sample.ts';
import { type RunningOperator, startOperator } from './support/start-operator.ts';

const namespace = 'default';
const named = (name: string, image: string): Sample => ({
  apiVersion: 'example.com/v1',
  kind: 'Sample',
  metadata: { name, namespace },
  spec: { image, replicas: 2 },
});

let running: RunningOperator;
beforeAll(async () => {
  running = await startOperator();
});
afterAll(() => running.stop());

test('a Sample runs as a Deployment, and is Ready when its pods are', async () => {
  const { client } = running;
  const key = { namespace, name: 'blog' };
  await client.create(samples, named('blog', 'blog:1.0'));
  const ready = await waitForObject(client, samples, key, (now) =>
    isConditionTrue(now?.status?.conditions, 'Ready'),
  );
  expect(ready?.status?.readyReplicas).toBe(2);
  const deployment = await client.get(appsv1.deployments, key);
  expect(deployment.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Sample', name: 'blog' });
});

test('an image that may be another one tomorrow is denied', async () => {
  const created = running.client.create(samples, named('latest', 'registry:5000/blog'));
  await expect(created).rejects.toThrow('"registry:5000/blog" has neither a tag nor a digest');
});
