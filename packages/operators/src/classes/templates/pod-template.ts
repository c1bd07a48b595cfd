import type { ApplyConfiguration, appsv1 } from '@kubewright/kube';
import { ANNOTATIONS } from '../api.ts';
import { hashOf } from '../../kit/hash-of.ts';

type DeploymentSpec = NonNullable<ApplyConfiguration<appsv1.Deployment>['spec']>;
type PodTemplate = NonNullable<DeploymentSpec['template']>;

/** A pod template annotated with its own hash, which tells pods of older templates apart. */
export function podTemplate(
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
  spec: NonNullable<PodTemplate['spec']>,
): PodTemplate {
  const hash = hashOf({ labels, annotations, spec });
  return { metadata: { labels, annotations: { ...annotations, [ANNOTATIONS.templateHash]: hash } }, spec };
}
