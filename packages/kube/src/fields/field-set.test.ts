import { readFileSync } from 'node:fs';
import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../json/parse-json.ts';
import { stringifyJson } from '../json/stringify-json.ts';
import type { Json } from '../json/json.ts';
import { FieldSet } from './field-set.ts';
import { field, index, key, type Path, value } from './path-element.ts';

type Golden =
  | { op: 'parse'; in: string; out: string; error: boolean; empty: boolean }
  | {
      op: 'algebra';
      a: string;
      b: string;
      union: string;
      intersection: string;
      difference: string;
      recursiveDifference: string;
      differenceEmpty: boolean;
    };

const golden = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../../goldens/${name}.json`, import.meta.url), 'utf8'));
const goldens = [
  ...(golden('ownership') as { readonly algebra: readonly Golden[] }).algebra,
  ...(golden('algebra') as readonly Golden[]),
];

const written = (set: FieldSet): string => stringifyJson(set.toJson());
const read = (text: string): FieldSet => FieldSet.read(text).set;

describe('what structured-merge-diff computes', () => {
  test('OWN-T1 all recorded goldens are tried', () => expect(goldens).toHaveLength(24 + 113));

  for (const golden of goldens) {
    if (golden.op === 'parse') {
      test(`OWN-T1 reads ${golden.in}`, () => {
        const { set, error } = FieldSet.read(golden.in);
        expect({ out: written(set), error: error !== undefined, empty: set.isEmpty }).toEqual({
          out: golden.out,
          error: golden.error,
          empty: golden.empty,
        });
      });
    } else {
      test(`OWN-T1 ${golden.a} with ${golden.b}`, () => {
        const [a, b] = [read(golden.a), read(golden.b)];
        expect(written(a.union(b))).toBe(golden.union);
        expect(written(a.intersection(b))).toBe(golden.intersection);
        expect(written(a.difference(b))).toBe(golden.difference);
        expect(written(a.recursiveDifference(b))).toBe(golden.recursiveDifference);
        expect(a.difference(b).isEmpty).toBe(golden.differenceEmpty);
      });
    }
  }
});

describe('OWN-T2 nodes', () => {
  test.each(['{"f:a":{".":{}}}', '{"f:a":{}}', '{"f:a":null}'])('%s claims f:a', (text) => {
    expect(FieldSet.parse(parseJson(text)).equals(FieldSet.of([field('a')]))).toBe(true);
  });

  test.each([
    '{"f:a":true}',
    '{"f:a":[]}',
    '{"f:a":"x"}',
    '{"x":{}}',
    '{"ab":{}}',
    '{"i:x":{}}',
    '{"k:[]":{}}',
    '[]',
  ])('%s is refused', (text) => {
    expect(() => FieldSet.parse(parseJson(text))).toThrow(/fieldsV1|path element/);
  });

  test('nesting without end is refused', () => {
    let json: { [key: string]: unknown } = {};
    for (let i = 0; i < 2000; i++) json = { 'f:a': json };
    expect(() => FieldSet.parse(json as never)).toThrow('nested too deeply');
  });
});

describe('OWN-T3 keys', () => {
  const set = (text: string): FieldSet => FieldSet.parse(parseJson(text));

  test('are equal whatever their order', () => {
    expect(
      set('{"k:{\\"b\\":1,\\"a\\":\\"x\\"}":{}}').equals(set('{"k:{\\"a\\":\\"x\\",\\"b\\":1}":{}}')),
    ).toBe(true);
  });

  test('a number is not its text', () => {
    expect(key({ p: 80 })).not.toBe(key({ p: '80' }));
    expect(value(1)).not.toBe(value('1'));
  });

  test('an integer beyond 2^53 survives', () => {
    const text = '{"k:{\\"n\\":9007199254740993}":{}}';
    expect(written(set(text))).toBe(text);
  });

  test('__proto__ is a field like any other', () => {
    const text = '{"f:__proto__":{"f:a":{}}}';
    expect(written(set(text))).toBe(text);
    expect(set(text).has([field('__proto__'), field('a')])).toBe(true);
  });
});

describe('looking into a set', () => {
  const image: Path = [field('spec'), field('containers'), key({ name: 'c' }), field('image')];
  const item = image.slice(0, 3);
  const set = FieldSet.of(item, image, [field('kind')]);

  test('a path is claimed itself or it is not', () => {
    expect(set.has(image)).toBe(true);
    expect(set.has(item)).toBe(true);
    expect(set.has([field('spec')])).toBe(false);
    expect(set.has([])).toBe(false);
  });

  test('paths come with parents first, in the order of the server', () => {
    expect([...set.paths()]).toEqual([[field('kind')], item, image]);
    expect([
      ...FieldSet.of(
        [index(10)],
        [value('b')],
        [key({ n: 10 })],
        [index(2)],
        [key({ n: 9 })],
        [field('z')],
      ).paths(),
    ]).toEqual([[field('z')], [key({ n: 9 })], [key({ n: 10 })], [value('b')], [index(2)], [index(10)]]);
  });

  test('leaves are the claims with nothing below', () => {
    expect([...set.leaves().paths()]).toEqual([[field('kind')], image]);
  });

  test('size counts claims', () => {
    expect(set.size).toBe(3);
    expect(FieldSet.EMPTY.size).toBe(0);
  });

  test('a part can be taken out and put back', () => {
    const below = set.at(item);
    expect([...below.paths()]).toEqual([[field('image')]]);
    expect(below.prefixed(item).equals(FieldSet.of(image))).toBe(true);
  });
});

describe('laws', () => {
  const element = constantFrom(field('a'), field('b'), key({ name: 'x' }), value(1), index(0));
  const set = array(array(element, { minLength: 1, maxLength: 4 }), { maxLength: 8 }).map((paths) =>
    FieldSet.of(...paths),
  );
  const paths = (s: FieldSet): Set<string> => new Set([...s.paths()].map((path) => path.join('/')));

  test('the algebra is that of sets of paths', () => {
    assert(
      property(set, set, (a, b) => {
        const [pa, pb] = [paths(a), paths(b)];
        expect(paths(a.union(b))).toEqual(new Set([...pa, ...pb]));
        expect(paths(a.intersection(b))).toEqual(new Set([...pa].filter((p) => pb.has(p))));
        expect(paths(a.difference(b))).toEqual(new Set([...pa].filter((p) => !pb.has(p))));
        const below = (p: string): boolean => [...pb].some((q) => p === q || p.startsWith(`${q}/`));
        expect(paths(a.recursiveDifference(b))).toEqual(new Set([...pa].filter((p) => !below(p))));
      }),
    );
  });

  test('what is written reads back', () => {
    assert(
      property(set, (a) => {
        expect(FieldSet.parse(a.toJson()).equals(a)).toBe(true);
      }),
    );
  });

  test('an operation that changes nothing returns the same set', () => {
    assert(
      property(set, (a) => {
        expect(a.union(FieldSet.EMPTY)).toBe(a);
        expect(a.union(a.leaves())).toBe(a);
        expect(a.difference(FieldSet.of([field('nowhere')]))).toBe(a);
      }),
    );
  });
});

describe('sharing of fieldsV1', () => {
  const podOf = (owner: string): FieldSet =>
    read(
      `{"f:metadata":{"f:ownerReferences":{".":{},"k:{\\"uid\\":\\"${owner}\\"}":{}}},"f:spec":{"f:containers":{}}}`,
    );

  test('sets that say the same are one object, frozen throughout', () => {
    const json = podOf('a').toJson();
    expect(podOf('a').toJson()).toBe(json);
    expect(deepFrozen(json)).toBe(true);
    expect(FieldSet.parse(json)).toBe(FieldSet.parse(podOf('a').toJson()));
  });

  test('sets that differ in one place share all others, when written and when read', () => {
    const [a, b] = [podOf('a').toJson(), podOf('b').toJson()];
    expect(a).not.toEqual(b);
    expect(a['f:spec']).toBe(b['f:spec']);
    expect(FieldSet.parse(a).child(field('spec'))).toBe(FieldSet.parse(b).child(field('spec')));
  });

  test('elements that look like the way in which nodes are remembered keep apart', () => {
    const [one, two] = [FieldSet.of([field('a')], [field('b')]), FieldSet.of([field('a0,3:f:b')])];
    expect(written(one)).toBe('{"f:a":{},"f:b":{}}');
    expect(written(two)).toBe('{"f:a0,3:f:b":{}}');
  });

  test('what nobody has used for long is made again, the same', () => {
    const before = written(podOf('a'));
    for (let owner = 0; owner < 3000; owner++) podOf(`other-${owner}`).toJson();
    expect(written(podOf('a'))).toBe(before);
  });

  test('what is used again and again stays shared, however much comes and goes', () => {
    const spec = podOf('first').toJson()['f:spec'];
    for (let owner = 0; owner < 6000; owner++) podOf(`passing-${owner}`).toJson();
    expect(podOf('last').toJson()['f:spec']).toBe(spec);
  });

  test('an entry that may still change is read anew', () => {
    const json = { 'f:a': {} as Record<string, object> };
    expect(FieldSet.parse(json as Json).has([field('a')])).toBe(true);
    json['f:a']['f:b'] = {};
    expect(FieldSet.parse(json as Json).has([field('a'), field('b')])).toBe(true);
  });
});

function deepFrozen(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(deepFrozen);
}
