// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { NamespacedMeta, ResourceRef } from '../object/kube-object.ts';

export const leases: ResourceRef<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  kind: 'Lease',
  namespaced: true,
};

export type Lease = {
  readonly apiVersion: 'coordination.k8s.io/v1';
  readonly kind: 'Lease';
  readonly metadata: NamespacedMeta;
  readonly spec: LeaseSpec;
};

export type LeaseSpec = {
  readonly acquireTime?: string;
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly leaseTransitions?: number;
  readonly preferredHolder?: string;
  readonly renewTime?: string;
  readonly strategy?: string;
};
