import type { Client } from '@kubewright/client';
import { type appsv1, corev1, type Stored } from '@kubewright/kube';
import { deleteRevision } from '../history/settle-revision.ts';
import { isNamespaceTerminating, type PodControl } from '../workloads/pod-control.ts';
import { slowStart } from '../workloads/slow-start.ts';
import { HASH } from './constants.ts';
import { daemonPod } from './decide/daemon-pod.ts';
import type { Work } from './decide/daemon-set-decision.ts';
import { hashOf } from './decide/surplus-history.ts';

/** Pods made, or deleted, in one go. */
const BURST = 250;

type Tools = { readonly client: Client; readonly pods: PodControl };

/** Makes and removes pods. Rejects with the first failure, when everything has been tried. */
export async function act(
  { pods }: Pick<Tools, 'pods'>,
  { set, hash }: { readonly set: Stored<appsv1.DaemonSet>; readonly hash: string },
  { create, remove }: Work,
): Promise<void> {
  const nodes = create.slice(0, BURST);
  const made = slowStart(nodes.length, async (index) => {
    const pod = daemonPod(set, nodes[index] ?? '', hash);
    await pods.create(pod, set).catch((error: unknown) => {
      if (!isNamespaceTerminating(error)) throw error;
    });
  });
  const removed = async (): Promise<unknown> => {
    await Promise.allSettled([made]);
    return Promise.allSettled(remove.slice(0, BURST).map((pod) => pods.remove(pod, set)));
  };
  const results = await Promise.allSettled([made, removed()]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Pods that are of a duplicate become pods of the revision that stays; then the duplicates go. */
export async function removeDuplicates(
  { client }: Pick<Tools, 'client'>,
  pods: readonly Stored<corev1.Pod>[],
  current: Stored<appsv1.ControllerRevision>,
  duplicates: readonly Stored<appsv1.ControllerRevision>[],
): Promise<void> {
  const hashes = new Set(duplicates.map(hashOf));
  for (const { metadata } of pods.filter((pod) => hashes.has(hashOf(pod)))) {
    const { namespace, name, uid } = metadata;
    const body = { metadata: { uid, labels: { [HASH]: hashOf(current) } } };
    await client.patch(corev1.pods, { namespace, name }, { type: 'strategic', body });
  }
  for (const duplicate of duplicates) await deleteRevision(client, duplicate);
}
