import { expect, test } from 'vitest';
import { parseOverridePath } from './override-path.ts';

test('spaces between the steps of a path are read once', () => {
  expect(parseOverridePath('self . data [ "a" ]')).toEqual([
    { type: 'field', name: 'data' },
    { type: 'field', name: 'a' },
  ]);
  expect(parseOverridePath(`self${' '.repeat(300_000)}!`)).toBeUndefined();
});
