import assert from 'node:assert/strict';
import { appsv1, compareText, type corev1, type TemplateOf } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import type { Story } from './story.ts';

/** The parts of a StatefulSet `web` that a test is about. */
export type SetParts = Partial<appsv1.StatefulSetSpec> & { readonly image?: string };

const LABELS = { app: 'web' };

export function statefulSet(namespace: string, { image = 'web:1', ...spec }: SetParts): appsv1.StatefulSet {
  const template = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'web', namespace },
    spec: { serviceName: 'web', selector: { matchLabels: LABELS }, template, ...spec },
  };
}

/** Makes the StatefulSet `web`, or changes it. */
export async function applySet(story: Story, parts: SetParts): Promise<appsv1.StatefulSet> {
  const set = statefulSet(story.namespace, parts);
  return story.client.apply(appsv1.statefulsets, set, { fieldManager: 'test', force: true });
}

export async function setWhere(
  story: Story,
  isSo: (set: appsv1.StatefulSet) => boolean,
): Promise<appsv1.StatefulSet> {
  const found = await waitForObject(story.client, appsv1.statefulsets, story.key('web'), (live) =>
    live === undefined ? false : isSo(live),
  );
  assert(found !== undefined, 'the StatefulSet is gone');
  return found;
}

/** Until the set has all its pods, ready and of the current template, and its status says so. */
export function settled(story: Story): Promise<appsv1.StatefulSet> {
  return setWhere(story, ({ metadata, spec, status }) => {
    if (status === undefined || status.observedGeneration !== metadata.generation) return false;
    const counts = [status.replicas, status.readyReplicas ?? 0, status.updatedReplicas ?? 0];
    return (
      status.currentRevision === status.updateRevision && counts.every((count) => count === spec.replicas)
    );
  });
}

/** A claim template of one gibibyte. */
export function claimTemplate(
  name: string,
  labels?: Readonly<Record<string, string>>,
): TemplateOf<corev1.PersistentVolumeClaim> {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}

/** Oldest first. */
export async function revisionsOf(story: Story): Promise<readonly appsv1.ControllerRevision[]> {
  const { items } = await story.client.list(appsv1.controllerrevisions, { namespace: story.namespace });
  return [...items].sort((a, b) => a.revision - b.revision);
}

/** Names and images of the pods that there are and stay, by name. */
export async function imagesOf(story: Story): Promise<Readonly<Record<string, string>>> {
  const pods = await story.pods();
  const entries = pods.map(({ metadata, spec }) => [metadata.name ?? '', spec.containers[0]?.image ?? '']);
  return Object.fromEntries(entries.sort(([a = ''], [b = '']) => compareText(a, b)));
}
