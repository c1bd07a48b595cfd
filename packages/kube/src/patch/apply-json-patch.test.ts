import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../json/deep-freeze.ts';
import { parseJson } from '../json/parse-json.ts';
import type { Json } from '../json/json.ts';
import { applyJsonPatch } from './apply-json-patch.ts';

const document = deepFreeze({ a: 1, list: ['x', 'y'], deep: { b: { c: null } }, 'x/y': 1, '~': 2 });
const patched = (...operations: Json[]): Json => applyJsonPatch(document, operations);

describe('operations', () => {
  test.each<[string, Json[], Json]>([
    ['add sets a field', [{ op: 'add', path: '/n', value: 1 }], { ...document, n: 1 }],
    ['add replaces a field', [{ op: 'add', path: '/a', value: 2 }], { ...document, a: 2 }],
    [
      'add inserts an item',
      [{ op: 'add', path: '/list/1', value: 'z' }],
      { ...document, list: ['x', 'z', 'y'] },
    ],
    ['- is the end', [{ op: 'add', path: '/list/-', value: 'z' }], { ...document, list: ['x', 'y', 'z'] }],
    [
      'remove',
      [
        { op: 'remove', path: '/deep/b' },
        { op: 'remove', path: '/list/0' },
      ],
      { ...document, deep: {}, list: ['y'] },
    ],
    ['replace', [{ op: 'replace', path: '/list/0', value: 'z' }], { ...document, list: ['z', 'y'] }],
    ['replace the whole', [{ op: 'replace', path: '', value: { z: 1 } }], { z: 1 }],
    [
      'move',
      [{ op: 'move', from: '/deep/b', path: '/list/0' }],
      { ...document, deep: {}, list: [{ c: null }, 'x', 'y'] },
    ],
    [
      'copy',
      [{ op: 'copy', from: '/list', path: '/deep/l' }],
      { ...document, deep: { b: { c: null }, l: ['x', 'y'] } },
    ],
    ['a test that holds', [{ op: 'test', path: '/deep', value: { b: { c: null } } }], document],
    [
      'escapes',
      [
        { op: 'remove', path: '/x~1y' },
        { op: 'remove', path: '/~0' },
      ],
      { a: 1, list: ['x', 'y'], deep: { b: { c: null } } },
    ],
  ])('%s', (_, operations, expected) => {
    expect(patched(...operations)).toEqual(expected);
  });

  test('what is copied and then changed leaves its origin alone', () => {
    expect(
      patched(
        { op: 'add', path: '/deep/n', value: 1 },
        { op: 'copy', from: '/deep', path: '/twin' },
        { op: 'add', path: '/twin/m', value: 2 },
      ),
    ).toMatchObject({ deep: { b: { c: null }, n: 1 }, twin: { n: 1, m: 2 } });
  });

  test('what no operation touches is shared with the original', () => {
    expect((patched({ op: 'add', path: '/n', value: 1 }) as typeof document).deep).toBe(document.deep);
  });
});

describe('where kube-apiserver is lenient, so are we', () => {
  test.each<[string, Json, Json]>([
    [
      'replace adds a field that is not there',
      { op: 'replace', path: '/n', value: 1 },
      { ...document, n: 1 },
    ],
    ['a missing value is null', { op: 'add', path: '/n' }, { ...document, n: null }],
    ['a missing name copies as null', { op: 'copy', from: '/gone', path: '/n' }, { ...document, n: null }],
    ['null tests equal to missing', { op: 'test', path: '/gone', value: null }, document],
    ['negative indexes count from the end', { op: 'remove', path: '/list/-1' }, { ...document, list: ['x'] }],
    [
      'text before the first slash is ignored',
      { op: 'remove', path: 'junk/a' },
      { list: ['x', 'y'], deep: { b: { c: null } }, 'x/y': 1, '~': 2 },
    ],
  ])('%s', (_, operation, expected) => {
    expect(patched(operation)).toEqual(expected);
  });

  test('a patch that is null does nothing', () => {
    expect(applyJsonPatch(document, null)).toBe(document);
  });
});

describe('refused in the words of evanphx/json-patch v4', () => {
  test.each<[Json, string]>([
    [{ op: 'test', path: '/a', value: 8 }, 'testing value /a failed: test failed'],
    [
      { op: 'remove', path: '/nope' },
      "error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value",
    ],
    [
      { op: 'remove', path: '/nope/x' },
      'remove operation does not apply: doc is missing path: "/nope/x": missing value',
    ],
    [
      { op: 'add', path: '/list/5', value: 1 },
      "error in add for path: '/list/5': Unable to access invalid index: 5: invalid index referenced",
    ],
    [
      { op: 'add', path: '/list/x', value: 1 },
      `error in add for path: '/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
    ],
    [
      { op: 'replace', path: '/list/9', value: 1 },
      'replace operation does not apply: doc is missing key: /list/9: missing value',
    ],
    [
      { op: 'move', from: '/nope', path: '/a' },
      "error in move for path: 'nope': Unable to remove nonexistent key: nope: missing value",
    ],
    [{ op: 'bogus', path: '/a' }, 'Unexpected kind: bogus'],
    [{ path: '/a' }, 'Unexpected kind: unknown'],
    [{ op: 'add' }, 'add operation failed to decode path: missing value'],
    [
      { op: 'add', path: '', value: 1 },
      'add operation does not apply: doc is missing path: "": missing value',
    ],
  ])('%j', (operation, message) => {
    expect(() => patched(operation)).toThrow(expect.objectContaining({ code: 'InvalidPatch', message }));
  });

  test.each<[Json, string]>([
    [{}, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    [[1], 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
    [
      [{ op: 1 }],
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
  ])('%j is no patch', (patch, message) => {
    expect(() => applyJsonPatch(document, patch)).toThrow(
      expect.objectContaining({ code: 'MalformedPatch', message }),
    );
  });
});

describe('hostile patches', () => {
  test('too many operations', () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: 'add', path: '/a', value: 1 }));
    expect(() => applyJsonPatch(document, many)).toThrow(
      'maximum operations in a JSON patch is 10000, got 10001',
    );
    expect(applyJsonPatch(document, many.slice(1))).toEqual(document);
  });

  test('copies that double', () => {
    const doubling = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '', path: `/${i}` }));
    expect(() => patched(...doubling)).toThrow('missing from path');
    const copies = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/deep', path: '/deep/-' }));
    expect(() => patched({ op: 'add', path: '/deep', value: [1, 2, 3] }, ...copies)).toThrow(
      'accumulated size increase of copy',
    );
  });

  test('moves that nest without end', () => {
    const nesting = Array.from({ length: 1100 }, () => [
      { op: 'move', from: '/a', path: '/b' },
      { op: 'add', path: '/a', value: {} },
      { op: 'move', from: '/b', path: '/a/b' },
    ]).flat();
    expect(() => applyJsonPatch({ a: 1 }, nesting)).toThrow('exceeded max depth');
  });

  test('__proto__ is a name like any other', () => {
    const patch = parseJson(
      '[{"op":"add","path":"/__proto__","value":{"x":1}},{"op":"add","path":"/__proto__/y","value":2}]',
    );
    const result = applyJsonPatch({}, patch);
    expect(JSON.stringify(result)).toBe('{"__proto__":{"x":1,"y":2}}');
    expect(({} as { y?: number }).y).toBeUndefined();
  });
});

test('no patch ever changes its document', () => {
  const pointer = fc.constantFrom(
    '/a',
    '/list',
    '/list/0',
    '/list/-',
    '/deep/b',
    '/deep/b/c',
    '/n',
    '/n/m',
    '/list/0/q',
  );
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy'),
    path: pointer,
    from: pointer,
    value: fc.constantFrom<Json>(1, {}, [], { z: [1] }),
  });
  // The document is frozen, so that a write to it throws a TypeError.
  fc.assert(
    fc.property(fc.array(operation), (operations) => {
      try {
        applyJsonPatch(document, operations);
      } catch (error) {
        expect(error).toMatchObject({ code: 'InvalidPatch' });
      }
    }),
  );
});
