import {
  type appsv1,
  type corev1,
  isStored,
  type KubeObject,
  type Named,
  type OwnerReference,
  type Stored,
} from '@kubewright/kube';
import { controllerReference } from '../../workloads/pod-from-template.ts';
import { isInRange } from './ordinal-of.ts';

type Claim = corev1.PersistentVolumeClaim;
type Pod = Named<corev1.Pod>;
type StatefulSet = Stored<appsv1.StatefulSet>;

/** A claim, and the pod of a set that uses it. */
type Use<C extends Claim = Claim> = { readonly claim: C; readonly set: StatefulSet; readonly pod: Pod };

const refsOf = ({ metadata }: Claim): readonly OwnerReference[] => metadata.ownerReferences ?? [];
const isOf =
  (owner: KubeObject) =>
  (ref: OwnerReference): boolean =>
    ref.uid !== '' && ref.uid === owner.metadata.uid;

/** By name and kind, of whatever uid. */
const names =
  (owner: KubeObject) =>
  (ref: OwnerReference): boolean =>
    ref.apiVersion === owner.apiVersion && ref.kind === owner.kind && ref.name === owner.metadata.name;

/** A reference to one that had this name before. */
export function isStaleOf(claim: Claim, owner: KubeObject): boolean {
  const ref = refsOf(claim).find(names(owner));
  return ref !== undefined && !isOf(owner)(ref);
}

/** Whom the retention policy wants to own a claim: whose end is to be the claim's end. */
function wantedOwners({ set, pod }: Omit<Use, 'claim'>): readonly Stored[] {
  const { whenScaled, whenDeleted } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  // A pod that is to go takes its claims along; the set's end then has nothing left to do.
  if (whenScaled === 'Delete' && !isInRange(set, pod)) return isStored(pod) ? [pod] : [];
  return whenDeleted === 'Delete' ? [set] : [];
}

function retainsAlways({ spec }: StatefulSet): boolean {
  const { whenScaled, whenDeleted } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return whenScaled !== 'Delete' && whenDeleted !== 'Delete';
}

/** A foreign controller owns the claim, so that the policy does not apply. */
export function hasForeignController({ claim, set, pod }: Use): boolean {
  if (retainsAlways(set)) return false;
  return refsOf(claim).some((ref) => {
    const ours = [set, pod].find((owner) => names(owner)(ref));
    return ours === undefined ? ref.controller === true : !isOf(ours)(ref);
  });
}

/**
 * Whether a claim's owners are as the retention policy wants them. A claim of a set or pod that had this name before
 * counts as such: nobody touches it.
 */
export function hasRightOwners(use: Use): boolean {
  const { claim, set, pod } = use;
  if (isStaleOf(claim, set) || isStaleOf(claim, pod)) return true;
  const owns = (owner: KubeObject): boolean => refsOf(claim).some(isOf(owner));
  if (hasForeignController(use)) return !owns(set) && !owns(pod);
  const ours = refsOf(claim).filter((ref) => isOf(set)(ref) || isOf(pod)(ref));
  if (ours.some(({ controller }) => controller !== true)) return false;
  const wanted = wantedOwners(use);
  return [set, pod].every(
    (owner) => owns(owner) === wanted.some(({ metadata }) => metadata.uid === owner.metadata.uid),
  );
}

/** The claim with the owners that the retention policy wants, and foreign ones left alone. */
export function withRightOwners<C extends Claim>(use: Use<C>): C {
  const { claim, set, pod } = use;
  const others = refsOf(claim).filter((ref) => !names(set)(ref) && !names(pod)(ref));
  const wanted = hasForeignController(use) ? [] : wantedOwners(use);
  const ownerReferences = [...others, ...wanted.map(controllerReference)];
  if (ownerReferences.length + refsOf(claim).length === 0) return claim;
  return { ...claim, metadata: { ...claim.metadata, ownerReferences } };
}
