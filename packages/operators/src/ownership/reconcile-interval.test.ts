import { expect, test } from 'vitest';
import { reconcileInterval } from './reconcile-interval.ts';
import { passSettings } from './pass-settings.ts';

const DEFAULT = { 'eno.azure.io/use-default-reconcile-interval': 'true' };
const every = (text: string) => ({ 'eno.azure.io/reconcile-interval': text });

test.each([
  ['nothing', {}, undefined],
  ['an interval', every('15m'), 900_000],
  ['less than the minimum', every('10ms'), 1000],
  ['no duration', every('often'), 1000],
  ['more than a timer takes', every('99999h'), 2_147_483_647],
  ['the default', DEFAULT, 300_000],
  ['both', { ...DEFAULT, ...every('2s') }, 2000],
])('%s', (_what, settings, expected) => {
  expect(reconcileInterval(settings)).toBe(expected);
});

test('DEFAULT_RECONCILE_INTERVAL sets the default', () => {
  const { defaultInterval } = passSettings({ DEFAULT_RECONCILE_INTERVAL: '90s' });

  expect(reconcileInterval(DEFAULT, defaultInterval)).toBe(90_000);
  expect(reconcileInterval(every('2s'), defaultInterval)).toBe(2000);
  expect(() => passSettings({ DEFAULT_RECONCILE_INTERVAL: 'often' })).toThrow('is not a duration');
});
