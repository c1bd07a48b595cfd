import { expect, test } from 'vitest';
import { withoutEnds, withoutTrailing } from './without-ends.ts';

test.each([
  ['', '', ''],
  ['--', '', ''],
  ['a', 'a', 'a'],
  ['--a-b--', '--a-b', 'a-b'],
])('%j', (text, trailing, ends) => {
  expect(withoutTrailing(text, '-')).toBe(trailing);
  expect(withoutEnds(text, '-')).toBe(ends);
});
