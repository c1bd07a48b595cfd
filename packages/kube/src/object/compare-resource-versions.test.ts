import { expect, it } from 'vitest';
import { compareResourceVersions } from './compare-resource-versions.ts';

it.each([
  ['9', '10', -1],
  ['10', '9', 1],
  ['10', '10', 0],
  ['9007199254740993', '9007199254740992', 1],
  ['0', '1', undefined],
  ['1', '', undefined],
  ['01', '1', undefined],
  ['1a', '2', undefined],
])('%s against %s', (a, b, expected) => {
  const compared = compareResourceVersions(a, b);
  expect(compared === undefined ? undefined : Math.sign(compared)).toBe(expected);
});
