import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { compileRe2, MAX_STEPS, type Re2 } from './compile-re2.ts';

/** What Go's regexp does; made by `tools/patterns`. */
type Recorded = {
  readonly texts: readonly string[];
  readonly patterns: readonly {
    readonly pattern: string;
    readonly error?: string;
    /** What FindAllString finds, by the index of the text. */
    readonly found?: Readonly<Record<number, readonly string[]>>;
  }[];
};

const recorded = JSON.parse(readFileSync(new URL('testdata/re2.json', import.meta.url), 'utf8')) as Recorded;

function compiled(pattern: string): Re2 {
  const result = compileRe2(pattern);
  if ('problem' in result) throw new TypeError(result.problem);
  return result;
}

describe('compileRe2', () => {
  test.each<[pattern: string, matching: string[], other: string[]]>([
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', ['a', 'a-b'], ['-a', 'A', 'a\n']],
    ['b', ['abc'], ['ac']],
    ['(?i)^abc$', ['ABC', 'abc'], ['abd']],
    ['^(?P<year>[0-9]{4})$', ['2020'], ['20']],
    ['^[[:alpha:]_]+$', ['ab_'], ['a1']],
    ['^[^[:digit:]]$', ['a'], ['1']],
    ['\\Aab\\z', ['ab'], ['ab\n', 'xab']],
    ['^\\pL+$', ['é'], ['1']],
    ['^\\p{Greek}+$', ['αβ'], ['a']],
    ['^a.b$', ['axb', 'a\u2028b'], ['a\nb']],
    ['(?s)^a.b$', ['a\nb'], ['ab']],
    ['^\\Qa.b\\E$', ['a.b'], ['axb']],
    ['^[]a]$', [']', 'a'], ['b']],
    ['^a{,2}$', ['a{,2}'], ['aa']],
    ['^\\-\\_\\/$', ['-_/'], ['-']],
    ['^[\\w.-]+@x$', ['a.b-c@x'], ['@x']],
    ['^\\s$', [' '], ['\u00a0']],
    [
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      ['1Gi', '.5'],
      ['1Zi'],
    ],
    ['^\\x41$', ['A'], ['x41']],
    ['^.$', ['😀'], ['ab']],
  ])('%s', (pattern, matching, other) => {
    const { test: matches } = compiled(pattern);
    expect(matching.filter((text) => !matches(text))).toEqual([]);
    expect(other.filter(matches)).toEqual([]);
  });

  test.each(['(?=a)', '(?!a)', '(?<=a)b', '(a)\\1', '[a', '(', '*', 'a{1001}', '\\y', '[[:nope:]]'])(
    'rejects %s, as RE2 does',
    (pattern) => {
      expect(compileRe2(pattern)).toHaveProperty('problem');
    },
  );
});

describe('Go and we agree', () => {
  /** RE2JS is behind Go 1.26 here: long names of classes in any case, and two groups of one name. */
  const OURS_REJECTS = ['\\p{greek}', '\\p{Letter}', '(?P<x>a)(?P<x>b)', '(?<x>a)|(?<x>b)'];
  const patterns = recorded.patterns.filter(({ pattern }) => !OURS_REJECTS.includes(pattern));

  test('on what is a pattern, and on the error of what is none', () => {
    const ours = patterns.map(({ pattern }) => [pattern, problemOf(pattern)]);
    expect(ours).toEqual(patterns.map(({ pattern, error }) => [pattern, error]));
    for (const pattern of OURS_REJECTS) expect(compileRe2(pattern)).toHaveProperty('problem');
  });

  test('on what is found, part by part', () => {
    for (const { pattern, found } of patterns.filter(({ error }) => error === undefined)) {
      const { test: matches, findAll } = compiled(pattern);
      for (const [index, text] of recorded.texts.entries()) {
        const expected = found?.[index] ?? [];
        expect([pattern, text, ...Array.from(findAll(text), (part) => part.text)]).toEqual([
          pattern,
          text,
          ...expected,
        ]);
        expect([pattern, text, matches(text)]).toEqual([pattern, text, expected.length > 0]);
      }
    }
  });

  function problemOf(pattern: string): string | undefined {
    const result = compileRe2(pattern);
    return 'problem' in result ? result.problem : undefined;
  }
});

describe('the work', () => {
  const hostile = [
    '(a+)+$',
    '(a|aa)*$',
    '(a|a?)+$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(.*a){12}b',
    '(?:a?){40}a{40}$',
  ];

  test.each(hostile)('of %s at most doubles when the text is doubled', (pattern) => {
    for (const length of [100, 1000]) {
      const [once, twice] = [stepsOf(pattern, 'a'.repeat(length)), stepsOf(pattern, 'a'.repeat(2 * length))];
      expect(twice).toBeLessThanOrEqual(2 * once + compiled(pattern).size ** 2);
    }
  });

  test('of any pattern is bounded by its size times the length of the text', () => {
    const pattern = fc.constantFrom(
      ...recorded.patterns
        .map(({ pattern: text }) => text)
        .filter((text) => !('problem' in compileRe2(text))),
      ...hostile,
    );
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '0', '-', '\n', 'é'), maxLength: 200 });
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        const size = RE2JS.compile(source).programSize();
        expect(stepsOf(source, subject)).toBeLessThanOrEqual(8 * size * (subject.length + 2));
      }),
    );
  });

  test('has a limit, whatever the pattern and the text are', () => {
    const large = compiled('(?:a|b){500}c');
    expect(() => large.test('a'.repeat(MAX_STEPS))).toThrow('too long for this pattern');
    for (const pattern of [
      '(?:(?:a{10}b?){10}c){10}'.repeat(9),
      '\\pL{1000}',
      '.'.repeat(6000),
      '(?i:[^\\pL]{99})'.repeat(9),
    ]) {
      expect(compileRe2(pattern)).toEqual({ problem: 'error parsing regexp: expression too large' });
    }
  });

  /** Instructions that are looked at. */
  function stepsOf(pattern: string, text: string): number {
    let steps = 0;
    const engine = RE2JS.compile(pattern);
    const count = (list: object): object =>
      new Proxy(list, {
        get(target, property, receiver): unknown {
          if (typeof property === 'string' && /^\d+$/.test(property)) steps++;
          return Reflect.get(target, property, receiver);
        },
      });
    const internals = engine.re2();
    internals.prog.inst = count(internals.prog.inst);
    engine.test(text);
    engine.matcher(text).find();
    return steps;
  }
});
