import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { applyMergePatch } from './apply-merge-patch.ts';
import { diffMergePatch } from './diff-merge-patch.ts';

describe('the difference of two objects as a merge patch', () => {
  it('says what changed, and nothing else', () => {
    const from = { a: 1, gone: 2, same: { x: [1] }, deep: { kept: true, old: 'o' }, list: [1, 2] };
    const to = { a: 2, same: { x: [1] }, deep: { kept: true, new: 'n' }, list: [1], added: {} };
    expect(diffMergePatch(from, to)).toEqual({
      a: 2,
      gone: null,
      deep: { old: null, new: 'n' },
      list: [1],
      added: {},
    });
    expect(diffMergePatch(from, from)).toEqual({});
  });

  it('makes the one of the other', () => {
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean());
    const json = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf), tie('object')),
      object: fc.dictionary(
        fc.constantFrom('a', 'b', '__proto__', 'c'),
        tie('value'),
      ) as fc.Arbitrary<JsonObject>,
    })).object;
    fc.assert(
      fc.property(json, json, (from, to) => {
        expect(applyMergePatch(from, diffMergePatch(from, to))).toEqual(to);
      }),
    );
  });
});
