import { expect, test } from 'vitest';
import { readProfile } from '../controller-profile/read-profile.ts';
import { keyOf, PROFILES, profileOf, withProfile } from './profiles.ts';

test.each(PROFILES.map((one) => [one.kind, one] as const))(
  'what is shipped for %s is what a person could add as a ControllerProfile, and names its project',
  (_kind, profile) => {
    expect(readProfile({ ...profile })).toEqual({ profile, problems: [] });
    expect(profile.source).not.toBe('');
  },
);

test('there is one for each kind', () => {
  expect(new Set(PROFILES.map(keyOf)).size).toBe(PROFILES.length);
});

test('one that a person adds takes precedence, also over copies of the object, and is in no JSON', () => {
  const job = { apiVersion: 'keda.sh/v1', kind: 'ScaledJob', metadata: {} };
  const added = { group: 'keda.sh', kind: 'ScaledJob', source: 'mine', ready: [] };
  const noted = withProfile(job, added);
  expect(profileOf({ ...noted })).toBe(added);
  expect(JSON.stringify(noted)).toBe(JSON.stringify(job));
  expect(profileOf(job)?.source).toBe('KEDA 2.20');
});
