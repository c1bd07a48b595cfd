import { compareText, type corev1, type Stored } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { matchesLabels, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import { classOf } from '../volumes/annotations.ts';
import { isFor } from './binding.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type Volume = Stored<corev1.PersistentVolume>;

const modesOf = ({ spec }: Claim | Volume): readonly string[] => [...new Set(spec.accessModes ?? [])].sort();
const sizeOf = ({ spec }: Volume): string => spec.capacity?.['storage'] ?? '0';
const askedBy = ({ spec }: Claim): string => spec.resources?.requests?.['storage'] ?? '0';
const attributesOf = ({ spec }: Claim | Volume): string => spec.volumeAttributesClassName ?? '';

export function sameVolumeMode(claim: Claim, volume: Volume): boolean {
  return (claim.spec.volumeMode ?? 'Filesystem') === (volume.spec.volumeMode ?? 'Filesystem');
}

function hasModes(volume: Volume, claim: Claim): boolean {
  const modes = modesOf(volume);
  return modesOf(claim).every((mode) => modes.includes(mode));
}

/**
 * The volume that suits a claim best: one that is meant for it, else the smallest that is large enough, of those with
 * the fewest access modes. `delayed`: free ones are the scheduler's to give.
 */
export function bestMatch(
  claim: Claim,
  volumes: readonly Volume[],
  { delayed }: { readonly delayed: boolean },
): Volume | undefined {
  const suited = volumes
    .filter((volume) => hasModes(volume, claim) && mightServe(volume, claim))
    .sort(byModesThenSize);
  const [first] = suited;
  if (first === undefined) return undefined;
  const fewest = suited.filter((volume) => modesOf(volume).join() === modesOf(first).join());
  const meant = fewest.find((volume) => isFor(volume, claim));
  const found = meant ?? (delayed ? undefined : fewest.find((volume) => isFree(volume, claim)));
  // A set of modes none of whose volumes can be had leaves the word to the next.
  return (
    found ??
    (suited.length > fewest.length ? bestMatch(claim, without(suited, fewest), { delayed }) : undefined)
  );
}

const without = (all: readonly Volume[], some: readonly Volume[]): readonly Volume[] =>
  all.filter((volume) => !some.includes(volume));

function byModesThenSize(a: Volume, b: Volume): number {
  const [modes, others] = [modesOf(a), modesOf(b)];
  return (
    modes.length - others.length ||
    compareText(modes.join(), others.join()) ||
    compareQuantity(sizeOf(a), sizeOf(b)) ||
    compareText(a.metadata.name, b.metadata.name)
  );
}

/** What even a volume that is meant for the claim must be. */
function mightServe(volume: Volume, claim: Claim): boolean {
  return (
    (volume.spec.claimRef === undefined || isFor(volume, claim)) &&
    compareQuantity(sizeOf(volume), askedBy(claim)) >= 0 &&
    sameVolumeMode(claim, volume) &&
    attributesOf(volume) === attributesOf(claim) &&
    volume.metadata.deletionTimestamp === undefined
  );
}

function isFree(volume: Volume, claim: Claim): boolean {
  const { selector } = claim.spec;
  return (
    volume.status?.phase === 'Available' &&
    (selector === undefined || matchesLabels(selectorFromLabelSelector(selector), volume.metadata.labels)) &&
    classOf(volume) === classOf(claim)
  );
}

/** Why a volume that the claim asks for by name cannot be given to it; undefined if it can. */
export function mismatch(volume: Volume, claim: Claim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion "${volume.metadata.name}"`;
  if (compareQuantity(sizeOf(volume), askedBy(claim)) < 0) return 'requested PV is too small';
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match';
  if (attributesOf(volume) !== attributesOf(claim)) return 'volumeAttributesClassName does not match';
  if (!sameVolumeMode(claim, volume)) return 'incompatible volumeMode';
  return hasModes(volume, claim) ? undefined : 'incompatible accessMode';
}
