import { type KubeObject, parseApiVersion } from '@kubewright/kube';
import { argoRollouts } from './argo-rollouts.ts';
import { certManager } from './cert-manager.ts';
import { kubernetes } from './kubernetes.ts';
import { kubewright } from './kubewright.ts';
import type { Profile } from './profile.ts';
import { rabbitmq } from './rabbitmq.ts';

const PROFILES: ReadonlyMap<string, Profile> = new Map(
  [argoRollouts, certManager, kubernetes, kubewright, rabbitmq]
    .flat()
    .map((profile) => [`${profile.group} ${profile.kind}`, profile]),
);

/** The profile of an object's kind, in whatever version; undefined: there is none, and the defaults hold. */
export function profileOf({
  apiVersion,
  kind,
}: Pick<KubeObject, 'apiVersion' | 'kind'>): Profile | undefined {
  return PROFILES.get(`${parseApiVersion(apiVersion).group} ${kind}`);
}
