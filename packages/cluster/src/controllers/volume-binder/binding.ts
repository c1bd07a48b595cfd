import { type corev1, defined, getOwn, jsonEqual, type Stored } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from '../volumes/annotations.ts';

/** What claims and volumes become when they are joined and parted. Each returns undefined where nothing changes. */

type Claim = Stored<corev1.PersistentVolumeClaim>;
type Volume = Stored<corev1.PersistentVolume>;
export type VolumePhase = NonNullable<corev1.PersistentVolumeStatus['phase']>;
export type ClaimPhase = NonNullable<corev1.PersistentVolumeClaimStatus['phase']>;

/** Whether a volume is for this claim: by name, and by uid where it says one. */
export function isFor({ spec: { claimRef } }: Volume, { metadata }: Claim): boolean {
  if (claimRef === undefined) return false;
  const named = claimRef.name === metadata.name && claimRef.namespace === metadata.namespace;
  return named && [undefined, '', metadata.uid].includes(claimRef.uid);
}

export function isAnnotated({ metadata }: Claim | Volume, annotation: string): boolean {
  return getOwn(metadata.annotations ?? {}, annotation) !== undefined;
}

function annotated<T extends Claim | Volume>(object: T, annotations: Readonly<Record<string, string>>): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

/** The volume with `claim` as the one that it is for. */
export function volumeFor(volume: Volume, claim: Claim): Volume | undefined {
  const noted = isFor(volume, claim) || isAnnotated(volume, BOUND_BY_CONTROLLER);
  const said = isFor(volume, claim) && volume.spec.claimRef?.uid === claim.metadata.uid;
  if (said && noted) return undefined;
  const next = said ? volume : { ...volume, spec: { ...volume.spec, claimRef: referenceTo(claim) } };
  return noted ? next : annotated(next, { [BOUND_BY_CONTROLLER]: 'yes' });
}

/** A reference to a claim as it is now. */
function referenceTo({ metadata }: Claim): corev1.ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion };
}

/** The claim with `volume` as its own. */
export function claimOn(claim: Claim, volume: Volume): Claim | undefined {
  const volumeName = volume.metadata.name;
  const said = claim.spec.volumeName === volumeName;
  const notes = {
    ...(said || isAnnotated(claim, BOUND_BY_CONTROLLER) ? {} : { [BOUND_BY_CONTROLLER]: 'yes' }),
    ...(isAnnotated(claim, BIND_COMPLETED) ? {} : { [BIND_COMPLETED]: 'yes' }),
  };
  if (said && Object.keys(notes).length === 0) return undefined;
  return annotated({ ...claim, spec: { ...claim.spec, volumeName } }, notes);
}

/** What is left of a binding that is taken back: what a user said, without the uid of the claim that it met. */
export function unboundVolume(volume: Volume): Volume {
  const { claimRef, ...spec } = volume.spec;
  if (claimRef !== undefined && !isAnnotated(volume, BOUND_BY_CONTROLLER)) {
    const { uid: _, ...named } = claimRef;
    return { ...volume, spec: { ...spec, claimRef: named } };
  }
  const { annotations: { [BOUND_BY_CONTROLLER]: _, ...annotations } = {}, ...metadata } = volume.metadata;
  const left = Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations };
  return { ...volume, metadata: left, spec };
}

export function volumeInPhase(volume: Volume, phase: VolumePhase, message = ''): Volume | undefined {
  if (volume.status?.phase === phase) return undefined;
  const { message: _, ...status } = volume.status ?? {};
  return { ...volume, status: { ...status, phase, ...(message === '' ? {} : { message }) } };
}

/** The claim in a phase, with what `volume` gives it; an unbound one has nothing. */
export function claimInPhase(claim: Claim, phase: ClaimPhase, volume?: Volume): Claim | undefined {
  const status = volume === undefined ? { phase } : givenBy(volume, claim, phase);
  const before = claim.status ?? {};
  const {
    accessModes: _modes,
    capacity: _capacity,
    currentVolumeAttributesClassName: _class,
    ...rest
  } = before;
  const next = { ...rest, ...status };
  return jsonEqual(next, before) ? undefined : { ...claim, status: next };
}

function givenBy(volume: Volume, claim: Claim, phase: ClaimPhase): corev1.PersistentVolumeClaimStatus {
  const { accessModes, volumeAttributesClassName } = volume.spec;
  const { phase: before, capacity, currentVolumeAttributesClassName } = claim.status ?? {};
  // Later the size and the class are the business of who makes volumes grow.
  const attributes = before === 'Pending' ? volumeAttributesClassName : currentVolumeAttributesClassName;
  const size = before === phase ? capacity : sizeOf(volume, capacity);
  return {
    phase,
    ...defined({ accessModes, capacity: size, currentVolumeAttributesClassName: attributes }),
  };
}

type Capacity = NonNullable<corev1.PersistentVolumeClaimStatus['capacity']>;

function sizeOf({ spec }: Volume, known: Capacity | undefined): Capacity | undefined {
  const storage = spec.capacity?.['storage'] ?? '0';
  const same = known?.['storage'] !== undefined && compareQuantity(known['storage'], storage) === 0;
  return same ? known : spec.capacity;
}
