import type { Json } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { readProfile } from './read-profile.ts';

const KIND = { group: 'fleet.example.com', kind: 'Fleet' };

test('a profile has what the resource says, and nothing else', () => {
  const spec = {
    ...KIND,
    ready: [],
    working: [
      { field: 'state.name', values: ['Rolling'] },
      { field: 'a', differsFrom: 'b' },
      { condition: 'Progressing', status: 'True' },
    ],
    varying: [{ kind: 'Secret', fields: ['data'] }],
    follows: ['zone.example.org/*'],
    more: 1,
  };
  const { more: _more, ...said } = spec;
  expect(readProfile(spec)).toEqual({ profile: { source: '', ...said }, problems: [] });
});

test.each<[string, Json | undefined, string]>([
  ['no spec', undefined, 'spec: is not an object'],
  ['no kind', { group: 'a' }, 'spec.kind: is required'],
  ['a number as a kind', { ...KIND, kind: 1 }, 'spec.kind: is not valid'],
  ['text in place of a list', { ...KIND, ready: 'Ready' }, 'spec.ready: is not a list'],
  [
    'too many items',
    { ...KIND, due: Array.from({ length: 21 }, () => 'at') },
    'spec.due: has more than 20 items',
  ],
  ['a path through a prototype call', { ...KIND, due: ['at()'] }, 'spec.due[0]: is not valid'],
  ['a path of nine fields', { ...KIND, due: ['a.a.a.a.a.a.a.a.a'] }, 'spec.due[0]: is not valid'],
  ['fields of no kind', { ...KIND, varying: [{ fields: ['a'] }] }, 'spec.varying[0].kind: is not valid'],
  ['work that is none', { ...KIND, working: [null] }, 'spec.working[0]: has neither'],
  ['long text', { ...KIND, uncovered: 'x'.repeat(201) }, 'spec.uncovered: is not valid'],
])('with %s it cannot be read, and says where', (_what, spec, problem) => {
  const read = readProfile(spec);
  expect(read.profile).toBeUndefined();
  expect(read.problems[0]).toContain(problem);
});

test('keys of a prototype are keys', () => {
  const spec = JSON.parse('{"group":"a","kind":"B","__proto__":{"ready":[]}}') as Json;
  expect(readProfile(spec).profile).toEqual({ group: 'a', kind: 'B', source: '' });
});

test('it is read in linear time, whatever somebody stored', () => {
  const long = `${'a-'.repeat(100_000)}!`;
  const many = Array.from({ length: 20 }, () => long);
  const spec = { group: long, kind: long, ready: many, due: many, dueOnChild: many, follows: many };
  expect(readProfile(spec).problems.length).toBeGreaterThan(20);
});
