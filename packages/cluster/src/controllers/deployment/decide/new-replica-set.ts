import { defined, type appsv1, type Named, type Stored } from '@kubewright/kube';
import type { LabelSelectorObject } from '@kubewright/kube/selectors';
import { controllerReference } from '../../workloads/pod-from-template.ts';
import { templateHash } from '../../workloads/template-hash.ts';
import { TEMPLATE_HASH } from '../constants.ts';
import { currentAnnotations, nextRevision, sizeAnnotations } from './next-revision.ts';
import { rolledSize } from './rolled-size.ts';

/** Longest name of an object. */
const LONGEST_NAME = 253;

/** The ReplicaSet that a Deployment lacks, at the size that it may have beside the `old` ones at first. */
export function newReplicaSet(
  deployment: Stored<appsv1.Deployment>,
  old: readonly Stored<appsv1.ReplicaSet>[],
): Named<appsv1.ReplicaSet> {
  const { metadata, spec, status } = deployment;
  const hash = templateHash(spec.template, status?.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [TEMPLATE_HASH]: hash };
  const annotations = currentAnnotations(deployment, {}, nextRevision(old));
  const empty: Named<appsv1.ReplicaSet> = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name.slice(0, LONGEST_NAME - hash.length - 1)}-${hash}`,
      namespace: metadata.namespace,
      labels,
      annotations: { ...annotations, ...sizeAnnotations(deployment) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: 0,
      ...defined({ minReadySeconds: spec.minReadySeconds }),
      selector: withLabel(spec.selector, hash),
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
  const replicas = rolledSize(deployment, [...old, empty], empty);
  return { ...empty, spec: { ...empty.spec, replicas } };
}

function withLabel(selector: LabelSelectorObject, hash: string): LabelSelectorObject {
  return { ...selector, matchLabels: { ...selector.matchLabels, [TEMPLATE_HASH]: hash } };
}
