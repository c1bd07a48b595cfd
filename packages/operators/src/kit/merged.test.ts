import { expect, test } from 'vitest';
import { merged } from './merged.ts';

test('the last one has the last word, and no key is a prototype', () => {
  expect(merged({ a: 1, b: 1 }, { b: 2 }, { c: 3 })).toEqual({ a: 1, b: 2, c: 3 });
  const hostile: object = JSON.parse('{"__proto__": {"a": 2}}');
  const both = merged({ b: 1 }, hostile);
  expect(Object.keys(both)).toEqual(['b', '__proto__']);
  expect(both).not.toHaveProperty('a');
});
