import type { corev1, storagev1, Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { type Attachment, type ObservedNode, uniqueName, type WantedVolume } from './observe-node.ts';

export type AttachmentAction =
  | { readonly type: 'create'; readonly attachment: storagev1.VolumeAttachment }
  | { readonly type: 'delete'; readonly attachment: Attachment };

export type AttachmentDecision = {
  /** Names of what the node may mount, sorted; undefined: the status is as it should be. */
  readonly attached?: readonly string[];
  /** What goes is taken off the node's list first. */
  readonly actions: readonly AttachmentAction[];
  readonly events: readonly { readonly about: Stored<corev1.Pod>; readonly note: EventNote }[];
};

const MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach';
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** What the attachments of a node should be. */
export function decideAttachments(observed: ObservedNode): AttachmentDecision {
  const { node, attachments } = observed;
  const isManaged = node?.metadata.annotations?.[MANAGED] === 'true';
  const wanted = isManaged ? observed.wanted : [];
  const names = new Set(wanted.map(({ name }) => name));
  const leaving = attachments.filter((one) => !names.has(one.metadata.name) && !isHeld(observed, one));
  const missing = wanted.filter(({ name }) => !attachments.some(({ metadata }) => metadata.name === name));
  const attached = attachedNames(observed, leaving);
  return {
    ...(isReported(node, attached) ? {} : { attached }),
    actions: [
      ...leaving
        .filter((one) => one.metadata.deletionTimestamp === undefined)
        .map((attachment) => ({ type: 'delete', attachment }) as const),
      ...missing
        .filter(isFree)
        .map((one) => ({ type: 'create', attachment: attachmentOf(one, observed.nodeName) }) as const),
    ],
    events: [
      ...missing.filter((one) => !isFree(one)).flatMap(multiAttach),
      ...wanted.flatMap((one) => news(one, observed)),
    ],
  };
}

const isFree = ({ isExclusive, elsewhere }: WantedVolume): boolean => !isExclusive || elsewhere.length === 0;

/** A node that uses a volume keeps it, unless it is said to be dead. */
function isHeld({ node, uniqueNames }: ObservedNode, { metadata }: Attachment): boolean {
  if (node === undefined) return false;
  const isDead = (node.spec.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE);
  const inUse = node.status?.volumesInUse ?? [];
  return !isDead && inUse.includes(uniqueNames.get(metadata.name) ?? '');
}

function attachedNames(
  { attachments, uniqueNames }: ObservedNode,
  leaving: readonly Attachment[],
): readonly string[] {
  return attachments
    .filter((one) => one.status?.attached === true && !leaving.includes(one))
    .map(({ metadata }) => uniqueNames.get(metadata.name) ?? '')
    .sort();
}

const attachedVolumes = (node: Stored<corev1.Node> | undefined): readonly string[] =>
  (node?.status?.volumesAttached ?? []).map(({ name }) => name).sort();

function isReported(node: Stored<corev1.Node> | undefined, attached: readonly string[]): boolean {
  return node === undefined || attachedVolumes(node).join() === attached.join();
}

function attachmentOf({ name, driver, volume }: WantedVolume, nodeName: string): storagev1.VolumeAttachment {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name },
    spec: { attacher: driver, nodeName, source: { persistentVolumeName: volume } },
  };
}

type Events = AttachmentDecision['events'];

function multiAttach({ volume, pods, rivals }: WantedVolume): Events {
  return pods.map((about) => {
    const local = rivals.filter(({ metadata }) => metadata.namespace === about.metadata.namespace);
    const names = local.map(({ metadata }) => metadata.name).join(', ');
    const others = rivals.length - local.length;
    const foreign = `${others} pod(s) in different namespaces`;
    const used = names === '' ? foreign : `pod(s) ${names}${others > 0 ? ` and ${foreign}` : ''}`;
    const why =
      rivals.length === 0
        ? "Volume is already exclusively attached to one node and can't be attached to another"
        : `Volume is already used by ${used}`;
    const message = `Multi-Attach error for volume "${volume}" ${why}`;
    return { about, note: { type: 'Warning', reason: 'FailedAttachVolume', message } };
  });
}

/** Of a volume that has come, or cannot. */
function news(
  { name, volume, driver, handle, pods }: WantedVolume,
  { node, attachments }: ObservedNode,
): Events {
  const status = attachments.find(({ metadata }) => metadata.name === name)?.status;
  const known = attachedVolumes(node).includes(uniqueName(driver, handle));
  if (status?.attached === true && !known) {
    const message = `AttachVolume.Attach succeeded for volume "${volume}" `;
    return pods.map((about) => ({
      about,
      note: { type: 'Normal', reason: 'SuccessfulAttachVolume', message },
    }));
  }
  if (status?.attachError?.message === undefined) return [];
  const message = `AttachVolume.Attach failed for volume "${volume}" : ${status.attachError.message}`;
  return pods.map((about) => ({ about, note: { type: 'Warning', reason: 'FailedAttachVolume', message } }));
}
