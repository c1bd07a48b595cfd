import { describe, expect, test } from 'vitest';
import { encodeResult } from './encode-result.ts';

const items = [
  { name: 'web', namespace: 'shop', ports: [80, 443], labels: { app: 'a' } },
  { name: 'db', namespace: 'data', ports: [], gone: null },
];
const RESULT = {
  json: { apiVersion: 'v1', kind: 'List', items },
  text: (isWide = false) => (isWide ? 'wide\n' : 'text\n'),
  names: ['thing/web', 'thing/db'],
};
const as = (format: string | undefined): string => encodeResult(RESULT, format);

describe('the forms of --output', () => {
  test('people get a table, and a wider one', () => {
    expect([as(undefined), as('wide')]).toEqual(['text\n', 'wide\n']);
  });

  test('name is TYPE/NAME of each, for kubectl', () => {
    expect(as('name')).toBe('thing/web\nthing/db\n');
  });

  test.each([
    ['{.items[*].name}', 'web db'],
    ['.items[0].name', 'web'],
    ['{$.kind}: {.items[?(@.name=="db")].namespace}', 'List: data'],
    [String.raw`{range .items[*]}{.namespace}/{.name}{"\n"}{end}`, 'shop/web\ndata/db\n'],
    ['{.items[0].ports} {.items[0].labels}', '[80,443] {"app":"a"}'],
    ['{.items[*].nothing}', ''],
  ])('jsonpath=%s is kubectl’s', (template, printed) => {
    expect(as(`jsonpath=${template}`)).toBe(printed);
  });

  test.each(['{.items[}', '{range .items[*]}{.name}', '{}'])('jsonpath=%s says what is wrong', (template) => {
    expect(() => as(`jsonpath=${template}`)).toThrow(/--output jsonpath=.*(is no path|has no \{end\})/s);
  });

  test('custom-columns has the columns that were asked for', () => {
    expect(as('custom-columns=NAME:.name,PORT:.ports[*],GONE:{.gone}')).toBe(
      'NAME   PORT     GONE\nweb    80,443   <none>\ndb     <none>   <none>\n',
    );
    expect(() => as('custom-columns=NAME')).toThrow('"NAME" is no column; write it like NAME:.name');
  });

  test('what objects say moves no cursor', () => {
    const hostile = { json: { name: '\u001b[31m' }, text: () => '' };
    expect(encodeResult(hostile, 'jsonpath={.name}')).not.toContain('\u001b');
  });
});
