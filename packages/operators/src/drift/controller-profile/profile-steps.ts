import { formatTime, setCondition } from '@kubewright/kube';
import type { Steps } from '@kubewright/runtime';
import { keyOf, shippedProfileOf, titleOfKind } from '../profiles/profiles.ts';
import {
  CONTROLLER_PROFILES,
  type ControllerProfile,
  type ControllerProfileStatus,
} from './controller-profiles.ts';
import { usedProfiles } from './known-profiles.ts';
import { readProfile } from './read-profile.ts';

type Observed = {
  readonly resource: ControllerProfile;
  /** The name of the one that is used for the kind. */
  readonly used: string | undefined;
};

/** Reports in the status of a profile whether it is used, and why not. */
export const profileSteps: Steps<Observed, never, ControllerProfileStatus, ControllerProfile> = {
  observe(request, { cache }) {
    const resource = cache.get(CONTROLLER_PROFILES, request);
    if (resource === undefined || resource.metadata.deletionTimestamp !== undefined) return undefined;
    const used = usedProfiles(cache.list(CONTROLLER_PROFILES)).get(keyOf(resource.spec));
    return { resource, used: used?.name };
  },
  decide(observed, now) {
    const { resource } = observed;
    const { reason, message } = stateOf(observed);
    const condition = {
      type: 'Ready',
      status: reason === 'InUse' ? 'True' : 'False',
      reason,
      message,
      observedGeneration: resource.metadata.generation ?? 0,
    } as const;
    const before = resource.status?.conditions ?? [];
    return { reason, status: { conditions: setCondition(before, condition, formatTime(now)) } };
  },
  act: async (action) => action,
  subject: ({ resource }) => resource,
};

const LONGEST_MESSAGE = 4096;

function stateOf({ resource, used }: Observed): { readonly reason: string; readonly message: string } {
  const { profile, problems } = readProfile(resource.spec);
  if (profile === undefined)
    return { reason: 'Invalid', message: `it is not used: ${problems.join('; ')}`.slice(0, LONGEST_MESSAGE) };
  const { group, kind } = profile;
  const parents = titleOfKind(profile);
  if (used !== undefined && used !== resource.metadata.name)
    return {
      reason: 'AnotherInUse',
      message: `it is not used: ${used} is, which has the first name of those for ${parents}`,
    };
  const shipped = shippedProfileOf({ apiVersion: group === '' ? 'v1' : `${group}/v1`, kind });
  const instead = shipped === undefined ? '' : `, in place of what is shipped (${shipped.source})`;
  return { reason: 'InUse', message: `it is used for ${parents}${instead}` };
}
