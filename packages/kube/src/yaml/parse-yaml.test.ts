import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { decodeYaml } from './decode-yaml.ts';
import { parseYaml, parseYamlBody } from './parse-yaml.ts';
import { parseYamlStream } from './parse-yaml-stream.ts';

const read = (text: string) => parseYamlBody(text, false).value;

describe('what anybody may send is bounded', () => {
  it('aliases that multiply are refused by the rule of the Go library', () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const items = Array.from({ length: 9 }, () => (level === 0 ? 'x' : `*a${level - 1}`));
      return `a${level}: &a${level} [${items.join(', ')}]\n`;
    });
    expect(() => read(levels.join(''))).toThrow('document contains excessive aliasing');
  });

  it.each([
    ['an alias of its own list', 'a: &x [*x]\n'],
    ['an alias of its own mapping', 'a: &x {b: *x}\n'],
    ['an alias in a merge key of its own mapping', 'a: &x\n  b: 1\n  c: {<<: *x}\n'],
  ])('%s contains itself', (_title, text) => {
    expect(() => read(text)).toThrow('contains itself');
  });

  it.each([
    ['brackets', `a: ${'['.repeat(5000)}${']'.repeat(5000)}\n`],
    ['braces', `a: ${'{a: '.repeat(5000)}${'}'.repeat(5000)}\n`],
    ['dashes', `${'- '.repeat(5000)}a\n`],
    ['indents', Array.from({ length: 2000 }, (_, level) => `${' '.repeat(level)}a:\n`).join('')],
  ])('%s nest to the depth of JSON', (_title, text) => {
    expect(() => read(text)).toThrow('exceeded max depth');
  });

  it.each([
    ['items in brackets', `a: [${'1,'.repeat(100_001)}1]\n`, 'exceeded 100000 values'],
    ['items without a value', `a:\n${'-\n'.repeat(100_001)}`, 'exceeded 100000 values'],
    ['comments', `${'#a\n'.repeat(420_000)}a: 1\n`, 'exceeded 100000 values'],
    ['empty lines', `a:\n${'\n'.repeat(820_000)} x\n`, 'exceeded 100000 values'],
    ['characters', `a: |\n${' x\n'.repeat(700_000)}`, 'exceeded 2097152 characters'],
    ['tags', `a: ${'!a '.repeat(5)}`, 'found more tags and anchors than a node has'],
    ['anchors', `a: ${'&a '.repeat(5)}`, 'found more tags and anchors than a node has'],
    ['escaped quotes', `a: "${String.raw`\'`.repeat(10_001)}"\n`, 'exceeded 10000 escaped quotes'],
    ['items of JSON', `{"a": [${'1,'.repeat(100_001)}1]}`, 'exceeded 100000 values'],
  ])('%s are counted', (_title, text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it('text in a block is not counted', () => {
    const lines = '1,2,[3],{4}\n'.repeat(100);
    const text = `a: |\n  ${lines.replaceAll('\n', '\n  ')}`;
    expect(parseYaml(text, 10).value).toEqual({ a: lines });
  });

  it('keys of the prototype are keys like others', () => {
    const value = read('__proto__: {a: 1}\nconstructor: 2\n<<: {__proto__: 3}\n') as JsonObject;
    expect(Object.entries(value)).toEqual([
      ['__proto__', 3],
      ['constructor', 2],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('errors', () => {
  it.each([
    ['a: [hunter2\n', 'line 2, column 1: bad indent'],
    ['a: 1\nb: !!int hunter2\n', 'line 2, column 10: cannot decode !!str as a !!int'],
    ['a: 1\n? {hunter2: a}\n: b\n', 'line 2, column 3: invalid map key'],
    ['a: "\\hunter2"\n', 'line 1, column 4: found unknown escape character'],
  ])('of %j have a place, and nothing of the text', (text, message) => {
    expect(() => read(text)).toThrow(message);
    expect(() => read(text)).not.toThrow('hunter2');
  });

  it('of a later document have the line in the file', () => {
    expect(() => parseYamlStream('a: 1\n---\nb: 2\n---\nc:\n  d: [\n')).toThrow('line 7, column 1');
    expect(() => parseYamlStream('{"a": 1}\n---\nb: [\n')).toThrow('line 4, column 1');
  });
});

describe('a file', () => {
  it('of JSON may have several objects, one after the other', () => {
    expect(parseYamlStream('{"a": 1}\n{"a": 2} {"a": "}{"}\n\n')).toEqual([{ a: 1 }, { a: 2 }, { a: '}{' }]);
  });

  it('that begins with JSON may go on as YAML, behind its first or second object', () => {
    expect(parseYamlStream('{"a": 1}\n---\nb: e10\n')).toEqual([{ a: 1 }, { b: 'e10' }]);
    expect(() => parseYamlStream('{"a": 1}\n{"a": 2}\nb: 3\n')).toThrow('object 3 is not JSON');
  });

  it('of JSON has numbers of JSON, with all digits', () => {
    expect(parseYamlStream('{"a": 9007199254740993}')).toEqual([{ a: 9007199254740993n }]);
    expect(() => parseYamlStream('{"a": 1e400}')).toThrow('cannot unmarshal number');
  });

  it('is parted at lines that begin with three dashes, and what is null is left out', () => {
    expect(parseYamlStream('---\n# nothing\n---\na: 1\n--- # two\n\n---\nnull\n---\nb: 2')).toEqual([
      { a: 1 },
      { b: 2 },
    ]);
    expect(() => parseYamlStream('a: 1\n--- b\n')).toThrow('line 2, column 4: invalid document separator');
    expect(() => parseYamlStream('%YAML 1.1\n---\na: 1\n')).toThrow('line 2, column 1: missing char');
  });

  it('may be UTF-16, and what is not UTF-8 is replaced', () => {
    const text = 'a: é\n';
    expect(decodeYaml(Buffer.from(`\uFEFF${text}`, 'utf16le'))).toBe(text);
    expect(decodeYaml(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16())).toBe(text);
    expect(decodeYaml(Buffer.from(`\uFEFF${text}`))).toBe(text);
    expect(decodeYaml(Buffer.from([0x61, 0xff]))).toBe('a\uFFFD');
  });
});

test('JSON in a body is read as YAML where that is another value, whatever its size', () => {
  const long = JSON.stringify({ ['k'.repeat(2000)]: 1 });
  expect(() => read(long)).toThrow('did not find expected');
  expect(read('{"a": 1e18, "b": 1E2}')).toEqual({ a: 10n ** 18n, b: 100 });
  expect(parseYamlBody('{"a": 1, "a": 2}', true)).toEqual({
    value: { a: 2 },
    strict: ['line 1: key "a" already set in map'],
  });
});
