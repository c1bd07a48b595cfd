import type { appsv1, corev1, KubeObject, NamespacedMeta, Stored } from '@kubewright/kube';
import { controllerReference } from '../workloads/pod-from-template.ts';
import { hashData } from './hash-data.ts';
import { revisionData } from './revision-data.ts';

/** On each revision: the hash that it was first to be named by. */
const REVISION_HASH = 'controller.kubernetes.io/hash';

/** Longest part of the owner's name in that of a revision. */
const LONGEST_PREFIX = 223;

/** A workload that keeps a history of its template. */
export type Versioned = Stored<
  KubeObject & {
    readonly metadata: NamespacedMeta;
    readonly spec: { readonly template: corev1.PodTemplateSpec };
  }
>;

/** The revision of `owner` that keeps its present template. Its name is for {@link renamed} to change. */
export function newRevision(
  owner: Versioned,
  revision: number,
  collisions: number,
): appsv1.ControllerRevision {
  const { metadata, spec } = owner;
  const data = revisionData(spec.template);
  const hash = hashData(data, collisions);
  const { annotations = {} } = metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: revisionName(owner, hash),
      namespace: metadata.namespace,
      labels: { ...spec.template.metadata?.labels, [REVISION_HASH]: hash },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision,
  };
}

/** The same under the name that it has after so many collisions; the label stays as it was. */
export function renamed(
  owner: Stored,
  revision: appsv1.ControllerRevision,
  collisions: number,
): appsv1.ControllerRevision {
  const name = revisionName(owner, hashData(revision.data ?? {}, collisions));
  return { ...revision, metadata: { ...revision.metadata, name } };
}

function revisionName({ metadata: { name } }: Stored, hash: string): string {
  return `${name.slice(0, LONGEST_PREFIX)}-${hash}`;
}
