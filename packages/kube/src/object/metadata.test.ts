import { expect, test } from 'vitest';
import { apiVersionOf, gvkOf, parseApiVersion } from './group-version.ts';
import { type Condition, getCondition, setCondition } from './condition.ts';
import { controllerOf, ownerReferenceTo } from './owner-reference-to.ts';

test('the core group is the empty string', () => {
  expect(parseApiVersion('v1')).toEqual({ group: '', version: 'v1' });
  expect(gvkOf({ apiVersion: 'apps/v1', kind: 'Deployment' })).toEqual({
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
  });
  for (const apiVersion of ['v1', 'apps/v1'])
    expect(apiVersionOf(parseApiVersion(apiVersion))).toBe(apiVersion);
  expect(() => parseApiVersion('a/b/c')).toThrow('unexpected GroupVersion string: a/b/c');
});

test('of several owners one controls', () => {
  const owner = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
  };
  const controller = ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true });
  const object = { ...owner, metadata: { ownerReferences: [ownerReferenceTo(owner), controller] } };
  expect(controllerOf(object)).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'a',
    uid: 'u',
    controller: true,
    blockOwnerDeletion: true,
  });
});

test('a transition is a change of status, and nothing else', () => {
  const ready = { type: 'Ready', status: 'False', reason: 'Starting', message: '' } as const;
  const first = setCondition([], ready, 't1');
  expect(setCondition(first, ready, 't2')).toBe(first);
  const reworded = setCondition(first, { ...ready, message: 'still' }, 't2');
  expect(getCondition(reworded, 'Ready')).toMatchObject({ message: 'still', lastTransitionTime: 't1' });
  const up = setCondition(reworded, { ...ready, status: 'True' }, 't3');
  expect(up).toEqual<readonly Condition[]>([{ ...ready, status: 'True', lastTransitionTime: 't3' }]);
});
