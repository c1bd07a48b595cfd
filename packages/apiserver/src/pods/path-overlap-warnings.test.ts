import { expect, test } from 'vitest';
import { pathOverlapWarnings } from './path-overlap-warnings.ts';

const warnings = (...paths: readonly string[]): readonly string[] =>
  pathOverlapWarnings({
    volumes: [{ name: 'v', secret: { secretName: 's', items: paths.map((path) => ({ path })) } }],
  });

test('two keys on one path overlap, whatever slashes follow', () => {
  expect(warnings('a/b', 'a//')).toHaveLength(1);
  expect(warnings('a', 'b')).toEqual([]);
});

test('slashes within a path are looked at once', () => {
  expect(warnings(`a${'/'.repeat(300_000)}b`, 'c')).toEqual([]);
});
