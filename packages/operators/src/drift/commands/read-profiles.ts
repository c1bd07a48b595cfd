import { ApiError, type Client } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { CONTROLLER_PROFILES } from '../controller-profile/controller-profiles.ts';
import { usedProfiles } from '../controller-profile/known-profiles.ts';
import { kindKeyOf, withProfile } from '../profiles/profiles.ts';

/** Adds to an object the profile that somebody has added for its kind. Who may not read profiles sees what is shipped. */
export async function readProfiles(client: Client): Promise<<T extends KubeObject>(object: T) => T> {
  const resources = await client.list(CONTROLLER_PROFILES).catch((error: unknown) => {
    if (error instanceof ApiError) return { items: [] };
    throw error;
  });
  const used = usedProfiles(resources.items);
  return (object) => withProfile(object, used.get(kindKeyOf(object))?.profile);
}
