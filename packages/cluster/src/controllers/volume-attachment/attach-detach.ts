import { type Client, ignoreNotFound, isAlreadyExists, keyOf } from '@kubewright/client';
import { corev1, storagev1, type Stored } from '@kubewright/kube';
import {
  type Cache,
  type CacheEvent,
  type Manager,
  type Request,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { claimsOf, indexPodsByClaim, podsUsing } from '../volumes/index-pods-by-claim.ts';
import { type AttachmentAction, decideAttachments } from './decide-attachments.ts';
import { indexAttachments, observeNode } from './observe-node.ts';

/** The service account of `kube-system` that it acts as. */
export const ATTACH_DETACH = 'attachdetach-controller';

const CONCURRENT = 5;

/** Has volumes attached to the nodes whose pods need them, and detached when none does. */
export function addAttachDetachController(manager: Manager): void {
  const { cache, client } = manager;
  const recorder = manager.recorderFor(ATTACH_DETACH);
  indexAttachments(cache);
  indexPodsByClaim(cache);
  cache.informer(storagev1.csidrivers);
  cache.informer(corev1.persistentvolumes);
  manager.addController({
    name: 'attachdetach',
    maxConcurrentReconciles: CONCURRENT,
    reconciler: {
      async reconcile({ name }) {
        const { attached, actions, events } = decideAttachments(observeNode(cache, name));
        if (attached !== undefined) await updateAttached(client, name, attached);
        for (const action of actions) await act(client, action);
        for (const { about, note } of events) recorder.record(about, note);
        return {};
      },
    },
    sources: [
      watchKind(corev1.nodes, { predicates: [concernsVolumes] }),
      watchMapped(corev1.pods, (pod) => (claimsOf(pod).length === 0 ? [] : nodesOf([pod]))),
      watchMapped(corev1.persistentvolumeclaims, ({ metadata: { namespace, name } }) =>
        nodesOf(podsUsing(cache, { namespace, name })),
      ),
      watchMapped(storagev1.volumeattachments, (attachment) => nodesConcerned(cache, attachment)),
    ],
  });
}

/** Its own node, and those whose pods wait until the volume is free. */
function nodesConcerned(cache: Cache, { spec }: Stored<storagev1.VolumeAttachment>): readonly Request[] {
  const { persistentVolumeName: name = '' } = spec.source;
  const claim = cache.get(corev1.persistentvolumes, { name })?.spec.claimRef;
  const key = { namespace: claim?.namespace ?? '', name: claim?.name ?? '' };
  return [{ name: spec.nodeName }, ...(claim === undefined ? [] : nodesOf(podsUsing(cache, key)))];
}

function nodesOf(pods: readonly Stored<corev1.Pod>[]): readonly Request[] {
  return pods.flatMap(({ spec: { nodeName = '' } }) => (nodeName === '' ? [] : [{ name: nodeName }]));
}

/** Heartbeats are not. */
function concernsVolumes(event: CacheEvent<corev1.Node>): boolean {
  if (event.type !== 'Update') return true;
  const state = ({ metadata, spec, status }: Stored<corev1.Node>): string =>
    JSON.stringify([metadata.annotations, spec.taints, status?.volumesInUse, status?.volumesAttached]);
  return state(event.old) !== state(event.object);
}

/** This controller alone writes this list. */
async function updateAttached(client: Client, name: string, attached: readonly string[]): Promise<void> {
  const volumesAttached = attached.map((one) => ({ name: one, devicePath: '' }));
  const body = { status: { volumesAttached: volumesAttached.length === 0 ? null : volumesAttached } };
  await ignoreNotFound(
    client.patch(corev1.nodes, { name }, { type: 'merge', body }, { subresource: 'status' }),
  );
}

async function act(client: Client, { type, attachment }: AttachmentAction): Promise<void> {
  if (type === 'create') {
    await client.create(storagev1.volumeattachments, attachment).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    return;
  }
  const { uid } = attachment.metadata;
  const options = { preconditions: { uid } };
  await ignoreNotFound(client.delete(storagev1.volumeattachments, keyOf(attachment), options));
}
