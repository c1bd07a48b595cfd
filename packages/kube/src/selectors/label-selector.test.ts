import { describe, expect, test } from 'vitest';
import { formatLabelSelector, matchesLabels } from './label-selector.ts';
import { selectorFromLabelSelector } from './label-selector-object.ts';
import { parseLabelSelector } from './parse-label-selector.ts';

const selects = (selector: string, labels: Record<string, string>): boolean =>
  matchesLabels(parseLabelSelector(selector), labels);

describe('a selector selects', () => {
  const web = { app: 'web', tier: 'front', n: '5' };
  test.each([
    ['', true],
    ['app', true],
    ['!app', false],
    ['!gone', true],
    ['app=web,tier!=back', true],
    ['app==web', true],
    ['gone!=x', true],
    ['tier in (front,back),app notin (db)', true],
    ['gone in (a)', false],
    ['gone notin (a)', true],
    ['n>4,n<6', true],
    ['n>5', false],
    ['app>1', false],
    ['app=', false],
    ['toString', false],
    ['constructor=x', false],
  ])('%j on the web object: %s', (selector, expected) => {
    expect(selects(selector, web)).toBe(expected);
  });
});

describe('a selector reads back as Go prints it', () => {
  test.each([
    ['b=1 , a==2', 'a==2,b=1'],
    ['x in (c,b,b)', 'x in (b,c)'],
    ['x notin ()', 'x notin ()'],
    ['a in (,b)', 'a in (,b)'],
    ['in in (notin)', 'in in (notin)'],
    ['!a,b', '!a,b'],
    ['a=', 'a='],
    ['a,b\0\0c', 'a,b'],
  ])('%j → %j', (selector, printed) => {
    expect(formatLabelSelector(parseLabelSelector(selector))).toBe(printed);
  });
});

describe('a selector that is none is refused in the words of Go', () => {
  test.each([
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a\0b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    [
      'a>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      '-a',
      `unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      `a=${'x'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`,
    ],
  ])('%j', (selector, message) => {
    expect(() => parseLabelSelector(selector)).toThrow(
      expect.objectContaining({ code: 'InvalidSelector', message }),
    );
  });
});

describe('the selector of a spec', () => {
  test('absent selects nothing, empty selects everything', () => {
    expect(matchesLabels(selectorFromLabelSelector(undefined), {})).toBe(false);
    expect(matchesLabels(selectorFromLabelSelector({}), {})).toBe(true);
  });

  test('labels and expressions must all hold', () => {
    const selector = selectorFromLabelSelector({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'gone', operator: 'DoesNotExist' },
      ],
    });
    expect(formatLabelSelector(selector)).toBe('app=web,!gone,tier in (a,b)');
    expect(matchesLabels(selector, { app: 'web', tier: 'a' })).toBe(true);
    expect(matchesLabels(selector, { app: 'web' })).toBe(false);
  });

  test('an unknown operator is refused', () => {
    expect(() => selectorFromLabelSelector({ matchExpressions: [{ key: 'a', operator: 'Near' }] })).toThrow(
      '"Near" is not a valid label selector operator',
    );
  });
});
