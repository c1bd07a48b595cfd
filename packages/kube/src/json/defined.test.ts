import { expect, test } from 'vitest';
import { defined } from './defined.ts';
import type { JsonObject } from './json.ts';

test('what is undefined goes, what is empty stays', () => {
  const name: string | undefined = undefined;
  const object: JsonObject = defined({ name, kind: '', count: 0, uid: null });
  expect(Object.keys(object)).toEqual(['kind', 'count', 'uid']);
});

test('what may be undefined is optional in the type', () => {
  const named = (name: string | undefined): { name?: string; count: number } => defined({ name, count: 1 });
  expect(named('a')).toEqual({ name: 'a', count: 1 });
  expect(named(undefined)).toEqual({ count: 1 });
});
