import { expect, test } from 'vitest';
import type { ManifestState } from '../api.ts';
import { isAtRest, isUnchanged, type Now, type Remembered } from './is-at-rest.ts';
import { reportDigests } from './rest-of.ts';

const state: ManifestState = { reconciled: true, ready: '2026-01-01T00:00:00Z', applied: '{"f:data":{}}' };
const remembered: Remembered = {
  version: 'uid 7',
  ...reportDigests(state),
  isPlain: true,
  readySince: '2026-01-01T00:00:00Z',
  manifest: 'm',
  settings: 's',
  place: { kind: 'v1 ConfigMap', key: 'shop/web' },
  until: 1000,
};
const now: Now = { version: 'uid 7', manifest: 'm', state, time: 10 };
const { applied } = state;

test('an object is at rest whose version, manifest and report are those of the last look', () => {
  expect(isAtRest(remembered, now)).toBe(true);
});

test.each<[string, Partial<Now>]>([
  ['the watch has a later version', { version: 'uid 8' }],
  ['the watch is behind', { version: 'uid 6' }],
  ['it was deleted and created again', { version: 'other 7' }],
  ['it is gone, or its kind is not watched', { version: undefined }],
  ['its manifest is another', { manifest: 'n' }],
  ['the last look was too long ago', { time: 1000 }],
  ['the status says something else', { state: { ...state, reconciled: false } }],
  ['the status lost when it was ready', { state: { reconciled: true, ...(applied && { applied }) } }],
  ['the record of what was applied is another', { state: { ...state, applied: '{}' } }],
])('it is looked at when %s', (_why, change) => {
  expect(isAtRest(remembered, { ...now, ...change })).toBe(false);
});

test('after the slice has changed, its status says nothing, which is no reason to look', () => {
  expect(isAtRest(remembered, { ...now, state: { ...(applied && { applied }) } })).toBe(true);
});

test('it is one where the report depends on the one before', () => {
  expect(isAtRest({ ...remembered, isPlain: false }, { ...now, state: {} })).toBe(false);
  expect(isAtRest({ ...remembered, isPlain: false }, now)).toBe(true);
});

test('it is one where the readiness checks did not pass the last time', () => {
  const { readySince: _none, ...unready } = remembered;
  expect(isAtRest(unready, { ...now, state: {} })).toBe(false);
  expect(isAtRest(unready, now)).toBe(true);
});

test('a record that is too long for the status is no reason to look', () => {
  const { applied: _none, ...rest } = state;
  expect(isAtRest(remembered, { ...now, state: rest })).toBe(true);
});

test('the object of another manifest may be unchanged all the same', () => {
  expect(isUnchanged(remembered, { ...now, manifest: 'n' })).toBe(true);
  expect(isUnchanged(remembered, { ...now, manifest: 'n', version: 'uid 8' })).toBe(false);
});
