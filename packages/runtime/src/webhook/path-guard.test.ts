import { expect, test } from 'vitest';
import { createPathGuard } from './path-guard.ts';
import { joinPath, segmentFrom, splitPath } from './path-segment.ts';

const [a, b] = [segmentFrom(Buffer.alloc(16, 1)), segmentFrom(Buffer.alloc(16, 2))];

test.each(['/', '/mutate', '/a/b.c'])('a path is split as it was joined: %s', (base) => {
  for (const segment of [a, undefined])
    expect(splitPath(joinPath({ base, segment }))).toEqual({ base, segment });
});

test.each([`/x/${a}0`, `/x/${a.toUpperCase()}`, `/x/${a}/`, '/x/kw-', ''])('%s has no segment', (path) => {
  expect(splitPath(path)).toEqual({ base: path, segment: undefined });
});

test('only accepted segments are admitted', () => {
  const guard = createPathGuard(() => 0, 10);
  expect(guard.admits('/x', a)).toBe(false);
  guard.accept([a, b]);
  expect([guard.admits('/x', a), guard.admits('/x', b), guard.admits('/x', undefined)]).toEqual([
    true,
    true,
    false,
  ]);
  guard.accept([b]);
  expect(guard.admits('/x', a)).toBe(false);
});

test('a path without a segment is admitted while configurations name it, and a moment longer', () => {
  let now = 0;
  const guard = createPathGuard(() => now, 10);
  guard.named(['/x']);
  expect([guard.admits('/x', undefined), guard.admits('/y', undefined)]).toEqual([true, false]);
  now = 1000;
  guard.named([]);
  expect(guard.admits('/x', undefined)).toBe(true);
  now += 9;
  guard.named([]);
  expect(guard.admits('/x', undefined)).toBe(true);
  now += 1;
  expect(guard.admits('/x', undefined)).toBe(false);
});
