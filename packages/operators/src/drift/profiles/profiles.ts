import { type KubeObject, parseApiVersion } from '@kubewright/kube';
import { argoRollouts } from './argo-rollouts.ts';
import { certManager } from './cert-manager.ts';
import { jobset } from './jobset.ts';
import { kubernetes } from './kubernetes.ts';
import { kubewright } from './kubewright.ts';
import type { Profile } from './profile.ts';
import { rabbitmq } from './rabbitmq.ts';

type OfKind = Pick<KubeObject, 'apiVersion' | 'kind'>;

const SHIPPED: ReadonlyMap<string, Profile> = new Map(
  [argoRollouts, certManager, jobset, kubernetes, kubewright, rabbitmq]
    .flat()
    .map((profile) => [keyOf(profile), profile]),
);

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

export function keyOf({ group, kind }: Pick<Profile, 'group' | 'kind'>): string {
  return `${group} ${kind}`;
}
