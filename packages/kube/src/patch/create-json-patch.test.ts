import { type Arbitrary, array, assert, constantFrom, dictionary, letrec, oneof, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/seeds.ts';
import type { Json } from '../json/json.ts';
import { createJsonPatch } from './create-json-patch.ts';
import { applyJsonPatch } from './apply-json-patch.ts';

/** Objects, as everything that is patched: small alphabets, so that two of them have much in common. */
const { object } = letrec<{ value: Json; object: Json }>((tie) => ({
  object: dictionary(constantFrom('a', 'b', 'c/d', 'e~f', '', '__proto__', '0'), tie('value'), {
    maxKeys: 4,
  }) as Arbitrary<Json>,
  value: oneof(
    { maxDepth: 3 },
    constantFrom<Json>(1, 2n ** 60n, true, 'x', 'y'),
    array(tie('value'), { maxLength: 4 }) as Arbitrary<Json>,
    tie('object'),
  ),
}));

describe('the JSON patch between two objects', () => {
  it('makes the second of the first, and is empty between equals', () => {
    assert(
      property(object, object, (before, after) => {
        expect(applyJsonPatch(before, createJsonPatch(before, after) as Json)).toEqual(after);
        expect(createJsonPatch(before, structuredClone(before))).toEqual([]);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('says as little as it can', () => {
    const before = { metadata: { labels: { 'a/b': '1' } }, list: [{ n: 1 }, { n: 2 }, { n: 3 }], old: true };
    const after = { metadata: { labels: { 'a/b': '2' } }, list: [{ n: 1 }, { n: 3 }], new: null };
    expect(createJsonPatch(before, after)).toEqual([
      { op: 'remove', path: '/old' },
      { op: 'replace', path: '/metadata/labels/a~1b', value: '2' },
      { op: 'remove', path: '/list/1' },
      { op: 'add', path: '/new', value: null },
    ]);
  });
});
