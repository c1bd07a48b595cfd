import { defined } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../migration-policy.ts';
import type { DecideContext } from './resource-decision.ts';
import { rolledBack } from './roll-back.ts';

const ownership = {
  state: 'RolledBack',
  message: 'given back',
  plan: 'p',
  time: '2026-01-01T00:00:00Z',
} as const;

const contextAt = (time: string, reason?: string): DecideContext => ({
  previous: { ownership: { ...ownership, ...defined({ reason }) } },
  policy: DEFAULT_POLICY,
  now: new Date(time),
  readySince: undefined,
  interval: undefined,
  failOpen: false,
  exists: true,
  rejected: undefined,
  applies: 0,
});

test('a plan that was rolled back is left alone for an hour, another one is not', () => {
  expect(rolledBack('p', contextAt('2026-01-01T00:59:59Z'))).toEqual(ownership);
  expect(rolledBack('other', contextAt('2026-01-01T00:59:59Z'))).toBeUndefined();
  expect(rolledBack('p', contextAt('2026-01-01T01:00:00Z'))).toBeUndefined();
});

test('after a denial by admission it is tried again after five minutes', () => {
  expect(rolledBack('p', contextAt('2026-01-01T00:04:59Z', 'Denied'))).toMatchObject(ownership);
  expect(rolledBack('p', contextAt('2026-01-01T00:05:00Z', 'Denied'))).toBeUndefined();
});
