import { describe, expect, test } from 'vitest';
import { compileRe2 } from './compile-re2.ts';

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
    const compiled = compileRe2(pattern);
    expect(matching.filter((text) => !compiled?.test(text))).toEqual([]);
    expect(other.filter((text) => compiled?.test(text))).toEqual([]);
  });

  test.each(['(?=a)', '(?!a)', '(?<=a)b', '(a)\\1', '[a', '(', '*', 'a{1001}', '\\y', '[[:nope:]]'])(
    'refuses %s, as RE2 does',
    (pattern) => {
      expect(compileRe2(pattern)).toBeUndefined();
    },
  );
});
