import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../json/deep-freeze.ts';
import { parseJson } from '../json/parse-json.ts';
import type { Json } from '../json/json.ts';
import { applyMergePatch } from './apply-merge-patch.ts';

describe('a merge patch', () => {
  test.each<[string, Json, Json, Json]>([
    ['sets and removes', { a: 1, b: 2 }, { a: null, c: 3 }, { b: 2, c: 3 }],
    ['goes into objects', { a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    ['replaces lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['drops nulls from what is new', { a: 1 }, { b: { c: null, d: 1 } }, { a: 1, b: { d: 1 } }],
    ['drops nulls from objects in new lists', {}, { a: [{ b: null }, null] }, { a: [{}, null] }],
    ['keeps nulls in a list that replaces an object', { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ['takes null for absent', { a: null }, { a: { b: null } }, { a: {} }],
    ['may be a list', { a: 1 }, [1], [1]],
  ])('%s', (_, document, patch, expected) => {
    expect(applyMergePatch(deepFreeze(document), deepFreeze(patch))).toEqual(expected);
  });

  test('shares what it does not touch', () => {
    const document = { a: { b: 1 }, c: 1 };
    expect((applyMergePatch(document, { c: 2 }) as typeof document).a).toBe(document.a);
  });

  test('cannot reach a prototype', () => {
    const result = applyMergePatch({}, parseJson('{"__proto__":{"polluted":true}}'));
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('that is neither object nor list is refused', () => {
    for (const patch of [null, 5, 'x']) {
      expect(() => applyMergePatch({}, patch)).toThrow(
        expect.objectContaining({ code: 'MalformedPatch', message: 'Invalid JSON Patch' }),
      );
    }
  });
});
