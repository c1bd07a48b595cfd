import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { appsv1, corev1 } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import type { Story } from './story.ts';

/** The parts of a DaemonSet `agent` that a test is about. */
export type DaemonParts = Partial<appsv1.DaemonSetSpec> & {
  readonly image?: string;
  readonly spec?: Partial<corev1.PodSpec>;
};

const LABELS = { app: 'agent' };

/** Makes the DaemonSet `agent` for the nodes of this story, or changes it. */
export async function applyDaemons(
  story: Story,
  { image = 'agent:1', spec, ...parts }: DaemonParts = {},
): Promise<appsv1.DaemonSet> {
  const nodeSelector = { story: story.namespace };
  const containers = [{ name: 'agent', image }];
  const template = { metadata: { labels: LABELS }, spec: { containers, nodeSelector, ...spec } };
  const set: appsv1.DaemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: story.namespace },
    spec: { selector: { matchLabels: LABELS }, template, ...parts },
  };
  return story.client.apply(appsv1.daemonsets, set, { fieldManager: 'test', force: true });
}

export const nodeName = (story: Story, index: number): string => `${story.namespace}-n${index}`;

/** A node of this story, which takes pods. */
export async function addNode(story: Story, index: number): Promise<void> {
  const name = nodeName(story, index);
  const labels = { story: story.namespace };
  await story.client.create(corev1.nodes, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: {},
  });
  // Until its kubelet speaks, a node is given a taint.
  await patchNode(story, index, { spec: { taints: null } });
}

export async function patchNode(story: Story, index: number, body: object): Promise<void> {
  const name = nodeName(story, index);
  await story.client.patch(corev1.nodes, { name }, { type: 'merge', body: body as never });
}

/**
 * Until the controller has seen a change of a node that was made before: the node gets a mark, and a DaemonSet elsewhere that
 * is for nodes with this mark alone gets a pod. Nodes and DaemonSets are watched apart.
 */
export async function untilSeen(story: Story, index: number): Promise<void> {
  const mark = `${story.namespace}-${randomUUID().slice(0, 8)}`;
  await patchNode(story, index, { metadata: { labels: { mark } } });
  const labels = { app: mark };
  const containers = [{ name: 'mark', image: 'mark:1' }];
  const podSpec = { containers, nodeSelector: { mark }, tolerations: [{ operator: 'Exists' as const }] };
  const key = { namespace: 'default', name: mark };
  await story.client.create(appsv1.daemonsets, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: key,
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
  });
  await waitForObject(
    story.client,
    appsv1.daemonsets,
    key,
    (live) => live?.status?.desiredNumberScheduled === 1,
  );
}

export async function daemonsWhere(
  story: Story,
  isSo: (status: appsv1.DaemonSetStatus, set: appsv1.DaemonSet) => boolean,
): Promise<appsv1.DaemonSet> {
  const found = await waitForObject(story.client, appsv1.daemonsets, story.key('agent'), (live) =>
    live?.status === undefined ? false : isSo(live.status, live),
  );
  assert(found !== undefined, 'the DaemonSet is gone');
  return found;
}

/** Until `count` nodes have a pod of the present template that is available, and no others have any. */
export function deployed(story: Story, count: number): Promise<appsv1.DaemonSet> {
  return daemonsWhere(story, (status, { metadata }) => {
    const {
      observedGeneration,
      desiredNumberScheduled,
      updatedNumberScheduled = 0,
      numberAvailable = 0,
    } = status;
    const counts = [
      desiredNumberScheduled,
      status.currentNumberScheduled,
      updatedNumberScheduled,
      numberAvailable,
    ];
    return observedGeneration === metadata.generation && counts.every((one) => one === count);
  });
}

/** The node that a pod is to go to. */
export function targetOf({ spec }: corev1.Pod): string | undefined {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0];
}

/** `n0=image` for each pod there is and that stays, in order. */
export async function placesOf(story: Story): Promise<readonly string[]> {
  const short = (name = ''): string => name.slice(story.namespace.length + 1);
  const pods = await story.pods();
  return pods.map((pod) => `${short(targetOf(pod))}=${pod.spec.containers[0]?.image}`).sort();
}

/** Reasons of the events about the set, each once. */
export async function reasons(story: Story): Promise<readonly string[]> {
  const events = await story.events('DaemonSet');
  return [...new Set(events.map((text) => text.split(':')[0] ?? ''))].sort();
}
