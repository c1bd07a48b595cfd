import type { corev1, storagev1, Stored } from '@kubewright/kube';
import { SELECTED_NODE } from '../../controllers/volumes/annotations.ts';
import { bestMatch } from '../../controllers/volume-binder/best-match.ts';
import { type Check, type Filter, type Rejection, unresolvable } from './filter.ts';
import { matchesNodeTerms } from '@kubewright/kube/selectors';

/** A claim that waits for its pod's node, and the volumes that it could get. */
export type WaitingClaim = {
  readonly claim: Stored<corev1.PersistentVolumeClaim>;
  readonly storageClass: Stored<storagev1.StorageClass>;
  readonly candidates: readonly Stored<corev1.PersistentVolume>[];
};

/** What a pod's claims say of where it may go. */
export type PodVolumes = {
  /** No node will do. */
  readonly rejected?: string;
  /** The volumes of its bound claims; undefined for one that is not there. */
  readonly bound: readonly (Stored<corev1.PersistentVolume> | undefined)[];
  readonly waiting: readonly WaitingClaim[];
};

const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

const CONFLICT = unresolvable("node(s) didn't match PersistentVolume's node affinity");
const NO_VOLUME = unresolvable("node(s) didn't find available persistent volumes to bind");
const GONE = unresolvable('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)');

export function volumeBinding(volumes: PodVolumes): Filter {
  return {
    name: 'VolumeBinding',
    prepare: () =>
      volumes.rejected === undefined ? { check: checkOf(volumes) } : { rejected: volumes.rejected },
  };
}

function checkOf({ bound, waiting }: PodVolumes): Check {
  return ({ node }): Rejection | undefined => {
    if (bound.includes(undefined)) return GONE;
    if (bound.some((volume) => volume !== undefined && !isReachable(volume, node))) return CONFLICT;
    return waiting.every((one) => canHave(one, node)) ? undefined : NO_VOLUME;
  };
}

function isReachable({ spec }: Stored<corev1.PersistentVolume>, node: Stored<corev1.Node>): boolean {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || matchesNodeTerms(terms, node);
}

/** The node that a claim's volume is being made for, if it is. */
export function selectedNode({ metadata }: Stored<corev1.PersistentVolumeClaim>): string | undefined {
  return metadata.annotations?.[SELECTED_NODE];
}

function canHave(waiting: WaitingClaim, node: Stored<corev1.Node>): boolean {
  const selected = selectedNode(waiting.claim);
  if (selected !== undefined) return selected === node.metadata.name;
  return volumeOn(waiting, node) !== undefined || canBeMade(waiting.storageClass, node);
}

/** The volume that a claim would get on a node. */
export function volumeOn(
  { claim, candidates }: WaitingClaim,
  node: Stored<corev1.Node>,
): Stored<corev1.PersistentVolume> | undefined {
  const reachable = candidates.filter((volume) => isReachable(volume, node));
  return bestMatch(claim, reachable, { delayed: false });
}

function canBeMade(
  { provisioner, allowedTopologies = [] }: Stored<storagev1.StorageClass>,
  node: Stored<corev1.Node>,
): boolean {
  if (provisioner === NO_PROVISIONER) return false;
  if (allowedTopologies.length === 0) return true;
  const labels = node.metadata.labels ?? {};
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(
      ({ key, values }) => Object.hasOwn(labels, key) && values.includes(labels[key] ?? ''),
    ),
  );
}
