import type { appsv1, corev1, Named, Stored } from '@kubewright/kube';
import { hasForeignController, hasRightOwners, isStaleOf, withRightOwners } from './with-right-owners.ts';
import { claimName, ordinalOf } from './ordinal-of.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type NewClaim = Named<corev1.PersistentVolumeClaim>;
type Pod = Named<corev1.Pod>;
type StatefulSet = Stored<appsv1.StatefulSet>;

/** The claim of a name in the set's namespace, if there is one. */
export type FindClaim = (name: string) => Claim | undefined;

/** What the claims of one pod need. */
export type ClaimsPlan = {
  readonly create: readonly NewClaim[];
  /** Names of those that are on their way out: no pod can have them. */
  readonly leaving: readonly string[];
  /** As they are, with the owners that the retention policy wants. */
  readonly update: readonly Claim[];
  /** Names of those with a foreign controller: they keep no owner of ours. */
  readonly foreign: readonly string[];
};

export const NO_CLAIMS: ClaimsPlan = { create: [], leaving: [], update: [], foreign: [] };

export const needsNothing = ({ create, leaving, update }: ClaimsPlan): boolean =>
  create.length + leaving.length + update.length === 0;

/** `lacking`: whether those that are not there are to be made. */
export function planClaims(
  set: StatefulSet,
  pod: Pod,
  { find, lacking }: { readonly find: FindClaim; readonly lacking: boolean },
): ClaimsPlan {
  const present = claimsOf(set, pod).flatMap(({ metadata }) => find(metadata.name) ?? []);
  const names = new Set(present.map(nameOf));
  const uses = present.map((claim) => ({ claim, set, pod }));
  const missing = claimsOf(set, pod).filter((claim) => !names.has(nameOf(claim)));
  // With their owners from the start: the set may be gone before it looks again.
  const create = missing.map((claim) => withRightOwners({ claim, set, pod }));
  const leaving = present.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).map(nameOf);
  return {
    create: lacking ? create : [],
    leaving: lacking ? leaving : [],
    update: uses.filter((use) => !hasRightOwners(use)).map(withRightOwners),
    foreign: uses.filter(hasForeignController).map(({ claim }) => nameOf(claim)),
  };
}

const nameOf = ({ metadata }: NewClaim): string => metadata.name;

/**
 * A claim that is still another pod's, one that had the name before: it will go with that pod, and the new one must
 * wait for it.
 */
export function hasStaleClaim(set: StatefulSet, pod: Pod, find: FindClaim): boolean {
  if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return false;
  return claimsOf(set, pod).some((claim) => {
    const found = find(nameOf(claim));
    return found !== undefined && isStaleOf(found, pod);
  });
}

/** The claims of a pod as the set's templates describe them. */
function claimsOf(set: StatefulSet, pod: Pod): readonly NewClaim[] {
  const ordinal = ordinalOf(pod);
  const { namespace } = set.metadata;
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...template.metadata,
      name: claimName(template, set, ordinal),
      namespace,
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
    },
    spec: template.spec,
  }));
}
