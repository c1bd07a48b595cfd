import { assert, constantFrom, property, record, subarray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FieldSet } from '../fields/field-set.ts';
import type { JsonObject } from '../json/json.ts';
import { decodeManagers } from './managed-fields/managers.ts';
import { story } from './testing/story.ts';

describe('laws', () => {
  const body = record(
    {
      replicas: constantFrom(1, 2),
      tags: subarray(['x', 'y', 'z']),
      items: subarray(['c', 'd', 'e']).map((list) => list.map((name) => ({ name, image: `i-${name}` }))),
      metadata: record({ name: constantFrom('x'), labels: constantFrom({}, { a: '1' }, { b: '1' }) }),
    },
    { requiredKeys: [] },
  );

  test('applying twice is applying once', () => {
    assert(
      property(body, body, (first, second) => {
        const s = story()
          .force('a', first as JsonObject)
          .force('b', second as JsonObject);
        const before = s.live;
        expect(s.force('b', second as JsonObject).live).toBe(before);
      }),
    );
  });

  test('what one applier drops leaves the claims and values of another', () => {
    assert(
      property(body, body, (first, second) => {
        const s = story()
          .force('a', first as JsonObject)
          .force('b', second as JsonObject);
        const claims = s.claims['b/Apply'];
        s.force('a', {});
        expect(s.claims['b/Apply']).toEqual(claims);
        expect(s.claims['a/Apply']).toBeUndefined();
        const alone = story().force('b', second as JsonObject);
        expect(s.claims['b/Apply']).toEqual(alone.claims['b/Apply']);
      }),
    );
  });

  test('a set read from an object is never empty', () => {
    assert(
      property(body, (config) => {
        for (const { set } of decodeManagers(
          story().force('a', config as JsonObject).live?.metadata.managedFields,
        ).values()) {
          expect(set.equals(FieldSet.EMPTY)).toBe(false);
        }
      }),
    );
  });
});
