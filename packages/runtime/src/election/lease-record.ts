import type { ResourceRef } from '@kubewright/client';
import { formatMicroTime, getOwn, isJsonObject, type JsonObject, type KubeObject } from '@kubewright/kube';

export const LEASES: ResourceRef = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  kind: 'Lease',
  namespaced: true,
};

/** The content of a Lease; fields that are absent or of another type count as empty. */
export type LeaseRecord = {
  /** Empty after a release. */
  readonly holder: string;
  /** How long after a renewal other candidates have to wait. */
  readonly durationMs: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
};

export function readLease(lease: KubeObject): LeaseRecord {
  const spec = lease['spec'];
  const at = (name: string): unknown => (isJsonObject(spec) ? getOwn(spec, name) : undefined);
  const text = (name: string): string => {
    const value = at(name);
    return typeof value === 'string' ? value : '';
  };
  const count = (name: string): number => {
    const value = at(name);
    return typeof value === 'number' && value >= 0 ? value : 0;
  };
  return {
    holder: text('holderIdentity'),
    durationMs: count('leaseDurationSeconds') * 1000,
    acquireTime: text('acquireTime'),
    renewTime: text('renewTime'),
    transitions: count('leaseTransitions'),
  };
}

/** The Lease with a new record; everything else in it, resourceVersion included, stays. */
export function withRecord(lease: KubeObject, record: LeaseRecord): KubeObject {
  const before = lease['spec'];
  const spec: JsonObject = {
    ...(isJsonObject(before) ? before : {}),
    holderIdentity: record.holder,
    leaseDurationSeconds: Math.max(1, Math.ceil(record.durationMs / 1000)),
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.transitions,
  };
  return { ...lease, spec };
}

/** The Lease with these annotations besides its others. */
export function withAnnotations(
  lease: KubeObject,
  annotations: Readonly<Record<string, string>> = {},
): KubeObject {
  if (Object.keys(annotations).length === 0) return lease;
  const { metadata } = lease;
  return { ...lease, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

/**
 * Whether the server stored the Lease that was sent. A mutating webhook may change it, or restore the old one, and the
 * response is 200 all the same.
 */
export function isStoredUnchanged(response: KubeObject, sent: KubeObject): boolean {
  const [stored, wanted] = [readLease(response), readLease(sent)];
  return (
    stored.holder === wanted.holder &&
    stored.renewTime === wanted.renewTime &&
    stored.transitions === wanted.transitions &&
    stored.durationMs === wanted.durationMs
  );
}

export function newLease(namespace: string, name: string): KubeObject {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name } };
}

/**
 * A renew time that differs from the one before: the server does not store an update that changes nothing, and standbys
 * would take the leader for dead. A clock that was set back may give the same millisecond twice.
 */
export function renewTimeAfter(before: string, wall: number): string {
  const time = formatMicroTime(new Date(wall));
  return time === before ? formatMicroTime(new Date(wall + 1)) : time;
}
