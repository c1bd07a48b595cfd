import type { OwnerReference } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { referencesTo } from './references-to.ts';

const owner = (uid: string, kind = 'ConfigMap'): OwnerReference => ({
  apiVersion: 'v1',
  kind,
  name: 'o',
  uid,
});

test('finds all references to a uid, and none to another', () => {
  const owners = [owner('a'), owner('b'), owner('a', 'Secret')];
  expect(referencesTo(owners, 'a')).toEqual([owner('a'), owner('a', 'Secret')]);
  expect(referencesTo(owners, 'c')).toEqual([]);
  expect(referencesTo([], 'a')).toEqual([]);
});
