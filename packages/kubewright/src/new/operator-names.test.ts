import { expect, test } from 'vitest';
import { operatorNames } from './operator-names.ts';

test.each([
  ['web-cache', 'WebCache', 'webcaches'],
  ['policy', 'Policy', 'policies'],
  ['ingress', 'Ingress', 'ingresses'],
  ['key', 'Key', 'keys'],
])('the operator %s has the kind %s, and its API the resource %s', (name, kind, plural) => {
  expect(operatorNames(name, { group: 'example.com' })).toEqual({ name, kind, plural, group: 'example.com' });
});

test('the kind may be another one', () => {
  const names = operatorNames('shop', { group: 'shop.example.org', kind: 'Till' });
  expect(names).toMatchObject({ name: 'shop', kind: 'Till', plural: 'tills' });
});

test.each(['Web', '../web', '-a', 'a_b', '', 'a'.repeat(41)])('"%s" is no name of an operator', (name) => {
  expect(() => operatorNames(name, { group: 'example.com', kind: 'Web' })).toThrow('lower-case letters');
});

test.each(['example', 'Example.com', 'a..b', '.com'])('"%s" is no group', (group) => {
  expect(() => operatorNames('web', { group })).toThrow(`a group is as "example.com", not "${group}"`);
});
