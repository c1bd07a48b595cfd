import { type KubeObject, parseApiVersion } from '@kubewright/kube';
import { actionsRunnerController } from './actions-runner-controller.ts';
import { argoCd } from './argo-cd.ts';
import { argoRollouts } from './argo-rollouts.ts';
import { argoWorkflows } from './argo-workflows.ts';
import { certManager } from './cert-manager.ts';
import { cloudNativePg } from './cloudnative-pg.ts';
import { clusterApi } from './cluster-api.ts';
import { crossplane } from './crossplane.ts';
import { elastic } from './elastic.ts';
import { externalSecrets } from './external-secrets.ts';
import { jobset } from './jobset.ts';
import { keda } from './keda.ts';
import { knative } from './knative.ts';
import { kubeRay } from './kuberay.ts';
import { kubernetes } from './kubernetes.ts';
import { kubewright } from './kubewright.ts';
import { lws } from './lws.ts';
import { prometheusOperator } from './prometheus-operator.ts';
import { rabbitmq } from './rabbitmq.ts';
import { sealedSecrets } from './sealed-secrets.ts';
import { strimzi } from './strimzi.ts';
import { tekton } from './tekton.ts';
import { velero } from './velero.ts';
import type { Profile } from './profile.ts';

type OfKind = Pick<KubeObject, 'apiVersion' | 'kind'>;

/** All that are shipped. */
export const PROFILES: readonly Profile[] = [
  actionsRunnerController,
  argoCd,
  argoRollouts,
  argoWorkflows,
  certManager,
  cloudNativePg,
  clusterApi,
  crossplane,
  elastic,
  externalSecrets,
  jobset,
  keda,
  knative,
  kubeRay,
  kubernetes,
  kubewright,
  lws,
  prometheusOperator,
  rabbitmq,
  sealedSecrets,
  strimzi,
  tekton,
  velero,
].flat();

const SHIPPED: ReadonlyMap<string, Profile> = new Map(PROFILES.map((profile) => [keyOf(profile), profile]));

/** A profile that somebody has added goes with the objects of its kind: no JSON has it, and no copy loses it. */
const ADDED = Symbol('profile');
type Profiled = { readonly [ADDED]?: Profile };

/** An object with the profile that somebody has added for its kind. */
export function withProfile<T extends OfKind>(object: T, profile: Profile | undefined): T {
  return profile === undefined ? object : { ...object, [ADDED]: profile };
}

/** The profile of an object's kind, in whatever version; undefined: there is none, and the defaults hold. */
export function profileOf(object: OfKind): Profile | undefined {
  return (object as Profiled)[ADDED] ?? shippedProfileOf(object);
}

/** Without what somebody has added. */
export function shippedProfileOf(object: OfKind): Profile | undefined {
  return SHIPPED.get(kindKeyOf(object));
}

/** What a kind is known by, in whatever version. */
export function kindKeyOf({ apiVersion, kind }: OfKind): string {
  return keyOf({ group: parseApiVersion(apiVersion).group, kind });
}

/** For people: `Site.example.com`; of the core group `Pod`. */
export function titleOfKind({ group, kind }: Pick<Profile, 'group' | 'kind'>): string {
  return group === '' ? kind : `${kind}.${group}`;
}

export function keyOf({ group, kind }: Pick<Profile, 'group' | 'kind'>): string {
  return `${group} ${kind}`;
}
