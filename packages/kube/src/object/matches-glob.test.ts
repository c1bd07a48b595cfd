import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { matchesGlob } from './matches-glob.ts';

describe('a glob', () => {
  test.each<[glob: string, matching: string[], other: string[]]>([
    ['', [''], ['a']],
    ['*', ['', 'a', 'a\nb'], []],
    ['a*', ['a', 'ab'], ['ba', '']],
    ['*a', ['a', 'ba', 'aa'], ['ab']],
    ['a*b*c', ['abc', 'aXbYc', 'abcbc'], ['acb', 'ab']],
    ['a**b', ['ab', 'axb'], ['a']],
    ['a.c', ['a.c'], ['abc']],
    ['a?c', ['abc', 'a?c'], ['ac', 'abbc']],
    ['*aab', ['aaab', 'aabaab'], ['aaba']],
  ])('%j', (glob, matching, other) => {
    expect(matching.filter((text) => !matchesGlob(glob, text, '?'))).toEqual([]);
    expect(other.filter((text) => matchesGlob(glob, text, '?'))).toEqual([]);
  });

  test('takes a question mark as itself unless it stands for one character', () => {
    expect(matchesGlob('a?', 'ab')).toBe(false);
    expect(matchesGlob('a?', 'a?')).toBe(true);
  });

  test('matches what the same glob with its stars tried in every way matches', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (glob, subject) => {
        expect(matchesGlob(glob, subject, '?')).toBe(inEveryWay(glob, subject));
      }),
    );
  });

  test('looks at each character of the text at most as often as the glob is long', () => {
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 30 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 300 });
    fc.assert(
      fc.property(glob, text, (pattern, subject) => {
        expect(looks(pattern, subject)).toBeLessThanOrEqual(pattern.length * subject.length);
      }),
    );
  });

  test.each(['*a*a*a*a*a*a*a*a*b', '*aaaaaaaaaaaaaaab', 'a*a*a*', '**********b'])(
    'does at most double the work of %s when the text is doubled',
    (glob) => {
      for (const length of [64, 512, 4096]) {
        const once = looks(glob, 'a'.repeat(length));
        expect(looks(glob, 'a'.repeat(2 * length))).toBeLessThanOrEqual(2 * once + glob.length ** 2);
      }
    },
  );
});

/** What a glob means, by its definition. */
function inEveryWay(glob: string, text: string): boolean {
  if (glob === '') return text === '';
  if (glob[0] === '*')
    return inEveryWay(glob.slice(1), text) || (text !== '' && inEveryWay(glob, text.slice(1)));
  return text !== '' && (glob[0] === '?' || glob[0] === text[0]) && inEveryWay(glob.slice(1), text.slice(1));
}

/** How often a character of the text is looked at. */
function looks(glob: string, text: string): number {
  let count = 0;
  const counted = new Proxy(text.split(''), {
    get(target, property, receiver): unknown {
      if (property !== 'length') count++;
      return Reflect.get(target, property, receiver);
    },
  });
  matchesGlob(glob, counted);
  return count;
}
