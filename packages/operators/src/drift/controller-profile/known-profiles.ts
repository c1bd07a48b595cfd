import { compareText, type KubeObject } from '@kubewright/kube';
import type { Cache } from '@kubewright/runtime';
import type { Profile } from '../profiles/profile.ts';
import { keyOf, kindKeyOf, withProfile } from '../profiles/profiles.ts';
import { CONTROLLER_PROFILES, type ControllerProfile } from './controller-profiles.ts';
import { readProfile } from './read-profile.ts';

/** The profiles that people have added. */
export type KnownProfiles = {
  /** Resolves when the others know them; undefined: they do. */
  ready(signal: AbortSignal): Promise<unknown> | undefined;
  /** The object, with the profile that is added for its kind. */
  readonly noted: <T extends KubeObject>(object: T) => T;
  /** Another text after another profile is used for the kind. */
  revisionOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): string;
};

/** Where nobody can add one: in place of the original, and in tests. */
export const noneKnown: KnownProfiles = {
  ready: () => undefined,
  noted: (object) => object,
  revisionOf: () => '',
};

/** A profile in use: from which resource. */
export type UsedProfile = { readonly profile: Profile; readonly name: string; readonly revision: string };

export function knownProfiles(cache: Cache): KnownProfiles {
  const informer = cache.informer(CONTROLLER_PROFILES);
  let used: ReadonlyMap<string, UsedProfile> | undefined;
  informer.addHandler(() => (used = undefined));
  const all = (): ReadonlyMap<string, UsedProfile> =>
    (used ??= usedProfiles(cache.list(CONTROLLER_PROFILES)));
  return {
    ready: (signal) => (informer.synced ? undefined : informer.waitForSync(signal)),
    noted: (object) => withProfile(object, all().get(kindKeyOf(object))?.profile),
    revisionOf: (object) => all().get(kindKeyOf(object))?.revision ?? '',
  };
}

/** By the key of its kind, the one that is used: of several that can be read, the first by name. */
export function usedProfiles(resources: readonly ControllerProfile[]): ReadonlyMap<string, UsedProfile> {
  const used = new Map<string, UsedProfile>();
  for (const { metadata, spec } of resources.toSorted((a, b) =>
    compareText(a.metadata.name, b.metadata.name),
  )) {
    const { profile } = readProfile(spec);
    if (profile === undefined || metadata.deletionTimestamp !== undefined) continue;
    const { name, uid, generation = 0 } = metadata;
    const key = keyOf(profile);
    if (!used.has(key)) used.set(key, { profile, name, revision: `${uid}/${generation}` });
  }
  return used;
}
