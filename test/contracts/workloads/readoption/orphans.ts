import assert from 'node:assert/strict';
import { appsv1, controllerOf, corev1 } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { markReady } from '../readiness.ts';
import { applySet, type SetParts, setWhere, statefulSet } from '../stateful.ts';
import type { Story } from '../story.ts';

export type PodParts = Partial<corev1.Pod['metadata']> & { readonly spec?: Partial<corev1.PodSpec> };

/** A pod that somebody makes by hand, by default with the labels that the set `web` selects, and no owner. */
export async function makePod(story: Story, name: string, parts: PodParts = {}): Promise<corev1.Pod> {
  return story.client.create(corev1.pods, handMade(story.namespace, name, parts));
}

function handMade(namespace: string, name: string, { spec, ...metadata }: PodParts = {}): corev1.Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { labels: { app: 'web' }, ...metadata, namespace, name },
    spec: { containers: [{ name: 'web', image: 'web:1' }], ...spec },
  };
}

/** The same, running and ready before anybody can take it in: labels come last. */
export async function makeReadyPod(story: Story, name: string, parts: PodParts = {}): Promise<corev1.Pod> {
  const labels = { app: 'web', ...parts.labels };
  await makePod(story, name, { ...parts, labels: {} });
  await markReady(story.client, story.key(name));
  return patchPod(story, name, { metadata: { labels } });
}

export function patchPod(story: Story, name: string, body: object): Promise<corev1.Pod> {
  return story.client.patch(corev1.pods, story.key(name), { type: 'merge', body: body as never });
}

export async function podWhere(
  story: Story,
  name: string,
  isSo: (pod: corev1.Pod) => boolean,
): Promise<corev1.Pod> {
  const pod = await waitForObject(story.client, corev1.pods, story.key(name), (live) =>
    live === undefined ? false : isSo(live),
  );
  assert(pod !== undefined, `${name} is gone`);
  return pod;
}

export async function podGone(story: Story, name: string): Promise<void> {
  await waitForObject(story.client, corev1.pods, story.key(name), (live) => live === undefined);
}

export const ownerOf = (pod: corev1.Pod | undefined): string | undefined =>
  pod === undefined ? undefined : controllerOf(pod)?.uid;

export async function findPod(story: Story, name: string): Promise<corev1.Pod | undefined> {
  const { items } = await story.client.list(corev1.pods, { namespace: story.namespace });
  return items.find(({ metadata }) => metadata.name === name);
}

/** A controller of pods that exists, and does nothing. */
export async function foreignOwner(story: Story): Promise<NonNullable<PodParts['ownerReferences']>> {
  const { metadata } = await story.client.create(corev1.configmaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: story.namespace, generateName: 'owner-' },
  });
  const { name, uid } = metadata;
  return [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true }];
}

let fences = 0;

/**
 * When this is over, what happened to pods before has come to the controller, and what it had to do at once is done:
 * two pods that were made since, elsewhere, are adopted by a set that has no place for them, and gone, one after the
 * other.
 */
export async function fence({ client }: Story): Promise<void> {
  const namespace = `fence-${++fences}`;
  await client.create(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
    spec: {},
  });
  await client.create(appsv1.statefulsets, statefulSet(namespace, { replicas: 0 }));
  const isSeen = (set?: appsv1.StatefulSet): boolean => set?.status?.observedGeneration === 1;
  await waitForObject(client, appsv1.statefulsets, { namespace, name: 'web' }, isSeen);
  for (const name of ['web-0', 'web-1']) {
    await client.create(corev1.pods, handMade(namespace, name));
    await waitForObject(client, corev1.pods, { namespace, name }, (pod) => pod === undefined);
  }
}

export const REVISION_LABEL = 'controller-revision-hash';

/**
 * Has the set `web` adopt a pod made by hand at a place that it has: another owner keeps the pod until the set, which is
 * made meanwhile, has tried to make its own. The pod says that it is of the set's revision, unless `parts` say other.
 */
export async function handOver(
  story: Story,
  { name = 'web-0', set: setParts = {}, ...parts }: PodParts & { readonly set?: SetParts },
): Promise<{ readonly set: appsv1.StatefulSet; readonly pod: corev1.Pod }> {
  const ownerReferences = await foreignOwner(story);
  await makeReadyPod(story, name, { ...parts, ownerReferences });
  const { metadata } = await applySet(story, { replicas: 1, ...setParts });
  const set = await setWhere(story, ({ status }) => status?.observedGeneration === metadata.generation);
  const labels = { [REVISION_LABEL]: set.status?.updateRevision ?? '', ...parts.labels };
  await patchPod(story, name, { metadata: { ownerReferences: null, labels } });
  return { set, pod: await podWhere(story, name, (pod) => ownerOf(pod) === metadata.uid) };
}
