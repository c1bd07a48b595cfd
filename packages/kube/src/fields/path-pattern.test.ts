import { describe, expect, test } from 'vitest';
import { FieldSet } from './field-set.ts';
import { formatPath } from './format-path.ts';
import { getPath } from './get-path.ts';
import { field, key, type Path, value } from './path-element.ts';
import { matchesPattern, parsePathPattern, selectByPattern } from './path-pattern.ts';

const container = (name: string, ...rest: string[]): Path => [
  field('spec'),
  field('initContainers'),
  key({ name }),
  ...rest.map(field),
];
const label = (name: string): Path => [field('metadata'), field('labels'), field(name)];
const port = (port: number, protocol: string): Path => [
  field('spec'),
  field('ports'),
  key({ port, protocol }),
];

const set = FieldSet.of(
  container('aks-a'),
  container('aks-a', 'image'),
  container('own', 'image'),
  label('app.kubernetes.io/name'),
  label('app'),
  port(53, 'TCP'),
  port(53, 'UDP'),
  [field('metadata'), field('finalizers'), value('ex.io/hold')],
  [field('spec'), field('nodeSelector')],
);

const selected = (...patterns: string[]): string[] =>
  [...selectByPattern(set, patterns.map(parsePathPattern)).paths()].map(formatPath);

describe('OWN-T4 a pattern selects', () => {
  test('a name that holds dots', () => {
    expect(selected("metadata.labels['app.kubernetes.io/name']")).toEqual([
      '.metadata.labels.app.kubernetes.io/name',
    ]);
  });

  test('items whose name is like a glob, their own membership included', () => {
    expect(selected('spec.initContainers[name=~"aks-*"]')).toEqual([
      '.spec.initContainers[name="aks-a"]',
      '.spec.initContainers[name="aks-a"].image',
    ]);
  });

  test('items by a glob with many stars, and none that only almost fits, in steps that grow as the name', () => {
    const name = 'a'.repeat(63);
    const long = FieldSet.of(container(name), container(`${name}b`));
    const glob = parsePathPattern('spec.initContainers[name=~"*a*a*a*a*a*a*b"]');
    expect([...selectByPattern(long, [glob]).paths()]).toEqual([container(`${name}b`)]);
    expect(selectByPattern(FieldSet.of(container('a'.repeat(10_000))), [glob]).isEmpty).toBe(true);
  });

  test('one field of every item', () => {
    expect(selected('spec.initContainers[*].image')).toEqual([
      '.spec.initContainers[name="aks-a"].image',
      '.spec.initContainers[name="own"].image',
    ]);
  });

  test('an item by one of its keys or by all', () => {
    expect(selected('spec.ports[port=53]')).toHaveLength(2);
    expect(selected('spec.ports[port=53,protocol="UDP"]')).toEqual(['.spec.ports[port=53,protocol="UDP"]']);
  });

  test('an element of a set', () => {
    expect(selected('metadata.finalizers[="ex.io/hold"]')).toEqual(['.metadata.finalizers[="ex.io/hold"]']);
  });

  test('everything but what is excluded', () => {
    expect(selected('spec', '!spec.initContainers', '!spec.ports')).toEqual(['.spec.nodeSelector']);
    expect(selected('!spec')).toHaveLength(3);
  });

  test('a glob is no regular expression', () => {
    expect(selected('spec.initContainers[name=~".*"]')).toEqual([]);
  });

  test('nothing inside an atomic field', () => {
    expect(selected('spec.nodeSelector.disk')).toEqual([]);
  });
});

test.each(['', '!', 'a..b', '[', 'a[name~"x"]', "a['x]"])('%j is no pattern', (text) => {
  expect(() => parsePathPattern(text)).toThrow('invalid path pattern');
});

test('a pattern matches what it names and what lies below', () => {
  const pattern = parsePathPattern('spec.initContainers');
  expect(matchesPattern(pattern, container('own', 'image'))).toBe(true);
  expect(matchesPattern(pattern, [field('spec')])).toBe(false);
});

test('a path leads to a value', () => {
  const object = { spec: { initContainers: [{ name: 'own', image: 'i' }], tags: ['a'] } };
  expect(getPath(object, container('own', 'image'))).toBe('i');
  expect(getPath(object, container('gone', 'image'))).toBeUndefined();
  expect(getPath(object, [field('spec'), field('tags'), value('a')])).toBe('a');
  expect(getPath(object, [field('constructor')])).toBeUndefined();
});
