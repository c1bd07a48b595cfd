import type { ResourceRef } from '@kubewright/client';
import { controllerOf, type KubeObject, type OwnerReference, parseApiVersion } from '@kubewright/kube';

/** One object of a slice: JSON in a string, as the original has it. */
export type Manifest = {
  readonly manifest?: string;
  /** A tombstone: the object is to be absent. */
  readonly deleted?: boolean;
};

/** What was done about shared ownership of one object. An addition to the original's status. */
export type OwnershipReport = {
  /**
   * `Moved`: claims were moved to us. `Blocked`: they may not be, and nothing is written. `Observed`: what would be
   * moved. `Left`: others keep fields that the manifest no longer mentions.
   */
  readonly state: 'Moved' | 'Blocked' | 'Observed' | 'Left';
  readonly reason?: string;
  readonly message: string;
  /** The other owners, at most 20. */
  readonly managers?: readonly string[];
  /** The paths, at most 20. */
  readonly paths?: readonly string[];
};

/** `status.resources[]` of a slice; same index as in `spec.resources`. */
export type ResourceState = {
  readonly reconciled?: boolean;
  /** RFC 3339. */
  readonly ready?: string;
  readonly deleted?: boolean;
  readonly reconciliationError?: string;
  readonly ownership?: OwnershipReport;
};

/** A part of what a Composition stands for. Belongs to the Composition that its controller owner reference names. */
export type ResourceSlice = KubeObject & {
  readonly spec?: SliceSpec;
  readonly status?: SliceStatus;
};

export type SliceSpec = { readonly synthesisUUID?: string; readonly resources?: readonly Manifest[] };

export type SliceStatus = {
  readonly resources?: readonly ResourceState[];
  /** The generation that `resources` speaks of. An addition to the original's status. */
  readonly observedGeneration?: number;
};

/** The outcome of one synthesis. Times are RFC 3339. */
export type Synthesis = {
  readonly uuid?: string;
  readonly observedCompositionGeneration?: number;
  readonly synthesized?: string;
  readonly reconciled?: string;
  readonly ready?: string;
  readonly resourceSlices?: readonly { readonly name?: string }[];
};

export type CompositionStatus = {
  readonly simplified?: { readonly status?: string; readonly error?: string };
  readonly currentSynthesis?: Synthesis;
};

/** A set of objects that is managed as one. */
export type Composition = KubeObject & {
  readonly spec?: CompositionSpec;
  readonly status?: CompositionStatus;
};

export type CompositionSpec = {
  /** Absent: the slices that the Composition owns are its current synthesis. */
  readonly synthesizer?: { readonly name?: string };
};

export const GROUP = 'eno.azure.io';

export const COMPOSITIONS: ResourceRef<Composition> = {
  group: GROUP,
  version: 'v1',
  resource: 'compositions',
  kind: 'Composition',
  namespaced: true,
};

export const RESOURCE_SLICES: ResourceRef<ResourceSlice> = {
  group: GROUP,
  version: 'v1',
  resource: 'resourceslices',
  kind: 'ResourceSlice',
  namespaced: true,
};

/** The Composition that a slice belongs to: the one that its controller owner reference names. */
export function compositionOf(slice: ResourceSlice): OwnerReference | undefined {
  const owner = controllerOf(slice);
  const isComposition = owner?.kind === 'Composition' && parseApiVersion(owner.apiVersion).group === GROUP;
  return isComposition ? owner : undefined;
}
