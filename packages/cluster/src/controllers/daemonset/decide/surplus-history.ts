import { type appsv1, type corev1, jsonEqual, type ObjectMeta, type Stored } from '@kubewright/kube';
import { revisionData } from '../../history/revision-data.ts';
import { controllerReference } from '../../workloads/pod-from-template.ts';
import { templateHash } from '../../workloads/template-hash.ts';
import { HASH } from '../constants.ts';

type Revision = Stored<appsv1.ControllerRevision>;
type DaemonSet = Stored<appsv1.DaemonSet>;

/** The revision that keeps the present template, under the name and the hash that it has after so many collisions. */
export function snapshot(set: DaemonSet, revision: number, collisions: number): appsv1.ControllerRevision {
  const { metadata, spec } = set;
  const hash = templateHash(spec.template, collisions === 0 ? undefined : collisions);
  const { annotations = {} } = metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace,
      labels: { ...spec.template.metadata?.labels, [HASH]: hash },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [controllerReference(set)],
    },
    data: revisionData(spec.template),
    revision,
  };
}

export const hashOf = ({ metadata }: { readonly metadata: ObjectMeta }): string =>
  metadata.labels?.[HASH] ?? '';

/** A revision that was made without a hash is known by its name. */
export function withHash(revision: Revision): Revision {
  const { metadata } = revision;
  const labels = { ...metadata.labels, [HASH]: metadata.name };
  return { ...revision, metadata: { ...metadata, labels } };
}

/** Revisions that keep the same template as the current one, which is enough. */
export function duplicatesOf(current: Revision, revisions: readonly Revision[]): readonly Revision[] {
  return revisions.filter(
    ({ metadata, data }) =>
      metadata.name !== current.metadata.name && jsonEqual(data ?? null, current.data ?? null),
  );
}

/** Old revisions that a history of `limit` has no room for, the oldest first; those that pods are of stay. */
export function surplusHistory(
  old: readonly Revision[],
  pods: readonly Stored<corev1.Pod>[],
  limit: number,
): readonly Revision[] {
  const inUse = new Set(pods.map(hashOf));
  return old.filter((revision) => !inUse.has(hashOf(revision))).slice(0, Math.max(0, old.length - limit));
}
