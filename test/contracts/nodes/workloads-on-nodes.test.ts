import assert from 'node:assert/strict';
import type { Nodes } from '@kubewright/cluster';
import {
  appsv1,
  batchv1,
  compareText,
  corev1,
  type JsonObject,
  type KubeObject,
  type Transport,
} from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { NodeStory, statusOf } from './node-story.ts';

const CONTROLLERS = [
  'deployment-controller',
  'garbage-collector-controller',
  'job-controller',
  'replicaset-controller',
  'statefulset-controller',
] as const;
const labels = { app: 'web' };

function template(container: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return {
    metadata: { labels },
    spec: { ...spec, containers: [{ name: 'main', image: 'web:1', ...container }] },
  };
}

function workloads(transport: () => Transport, nodes: () => Nodes): void {
  let story: NodeStory;
  beforeEach(async () => {
    story = await NodeStory.begin(transport());
  });
  const pods = async (): Promise<readonly corev1.Pod[]> =>
    (await story.client.list(corev1.pods, { namespace: story.namespace })).items;
  const make = (apiVersion: string, kind: string, spec: JsonObject): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name: 'web', namespace: story.namespace },
    spec,
  });
  const job = async (spec: JsonObject): Promise<batchv1.Job> => {
    await story.client.create<KubeObject>(batchv1.jobs, make('batch/v1', 'Job', spec));
    const done = await waitForObject(story.client, batchv1.jobs, story.key('web'), (live) =>
      (live?.status?.conditions ?? []).some(
        ({ type, status }) => ['Complete', 'Failed'].includes(type) && status === 'True',
      ),
    );
    assert(done !== undefined, 'the Job is gone');
    return done;
  };

  test('a Deployment rolls out over pods that live, and back', async () => {
    const spec = { replicas: 4, selector: { matchLabels: labels }, template: template() };
    const deploy = (image: string): Promise<unknown> =>
      story.client.apply<KubeObject>(
        appsv1.deployments,
        make('apps/v1', 'Deployment', { ...spec, template: template({ image }) }),
        { fieldManager: 'test', force: true },
      );
    const rolledOut = (image: string): Promise<unknown> =>
      waitForObject(story.client, appsv1.deployments, story.key('web'), (live) => {
        const { replicas, updatedReplicas, availableReplicas, observedGeneration } = live?.status ?? {};
        const isSeen = observedGeneration === live?.metadata.generation;
        const is = live?.spec.template?.spec?.containers[0]?.image === image;
        return is && isSeen && [replicas, updatedReplicas, availableReplicas].every((count) => count === 4);
      });
    for (const image of ['web:1', 'web:2', 'web:1']) {
      await deploy(image);
      await rolledOut(image);
      await expect.poll(async () => (await pods()).length).toBe(4);
      for (const pod of await pods()) expect(statusOf(pod)?.image).toBe(image);
    }
    const used = new Set((await pods()).map(({ spec: { nodeName } }) => nodeName));
    expect(used).toEqual(new Set(nodes().names));
  });

  test('pods of a StatefulSet come one after the other, and a deleted one comes again', async () => {
    const spec = { replicas: 3, serviceName: 'web', selector: { matchLabels: labels }, template: template() };
    await story.client.create<KubeObject>(appsv1.statefulsets, make('apps/v1', 'StatefulSet', spec));
    const ready = (): Promise<unknown> =>
      waitForObject(
        story.client,
        appsv1.statefulsets,
        story.key('web'),
        (live) => live?.status?.readyReplicas === 3,
      );
    await ready();
    const [first, second, third] = [...(await pods())]
      .sort((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? ''))
      .map(({ metadata }) => metadata);
    expect([first?.name, second?.name, third?.name]).toEqual(['web-0', 'web-1', 'web-2']);
    await story.remove('web-1');
    await story.until(
      'web-1',
      ({ metadata, status }) => metadata.uid !== second?.uid && status?.phase === 'Running',
    );
    await ready();
  });

  test('a Job completes when its containers have', async () => {
    const done = await job({
      completions: 3,
      parallelism: 2,
      template: template({ command: ['sh', '-c', 'exit 0'] }, { restartPolicy: 'Never' }),
    });
    expect(done.status).toMatchObject({
      succeeded: 3,
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Complete', status: 'True', reason: 'CompletionsReached' }),
      ]),
    });
    for (const pod of await pods()) {
      expect(pod.status?.phase).toBe('Succeeded');
      expect(pod.metadata.finalizers).toBeUndefined();
    }
  });

  test('a Job whose containers fail gives up', async () => {
    const done = await job({
      backoffLimit: 0,
      template: template({ command: ['sh', '-c', 'exit 7'] }, { restartPolicy: 'Never' }),
    });
    expect(done.status).toMatchObject({
      failed: 1,
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }),
      ]),
    });
    const [pod] = await pods();
    expect(pod && statusOf(pod)?.state?.terminated).toMatchObject({ exitCode: 7, reason: 'Error' });
  });

  test('what a Job was doing when its pod was deleted is done again', async () => {
    const running = job({
      template: template({ command: ['sh', '-c', 'sleep 3; exit 0'] }, { restartPolicy: 'Never' }),
    });
    const first = await expect
      .poll(async () => (await pods()).find(({ status }) => status?.phase === 'Running'))
      .toBeDefined()
      .then(pods);
    await story.remove(first[0]?.metadata.name ?? '');
    expect((await running).status).toMatchObject({ succeeded: 1, failed: 1 });
  });
}

describeClusters('Workloads on simulated nodes', { controllers: CONTROLLERS, nodes: 2 }, workloads);
