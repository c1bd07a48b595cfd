import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { child } from '../testing/objects.ts';
import { hashesOf, userHash, withHash } from './user-hash.ts';

test('DRF-6 hashes are those of the original', () => {
  const vectors = {
    'system:serviceaccount:kube-system:deployment-controller': '1likq',
    'system:serviceaccount:kube-system:replicaset-controller': '1l4sq',
    'system:serviceaccount:kube-system:generic-garbage-collector': '16uls',
    'system:serviceaccount:kube-system:namespace-controller': 'bva6r',
    'kubernetes-admin': '1dnfu',
    'system:admin': 'afodm',
    'user@example.com': '1e5u5',
    'admin@example.com': 'af3t8',
    user1: '2s1pj',
    user2: 'qoe55',
    '': '1r6c4',
  };
  expect(Object.fromEntries(Object.keys(vectors).map((user) => [user, userHash(user)]))).toEqual(vectors);
});

test('DRF-5 a sixth user drops the oldest, and nobody changes places', () => {
  const five = ['a', 'b', 'c', 'd', 'e'];
  expect(withHash(five, 'f')).toEqual(['b', 'c', 'd', 'e', 'f']);
  expect(withHash(five, 'a')).toEqual(five);
});

test('what is no hash stands for nobody', () => {
  const annotations = { [ANNOTATIONS.updaters]: 'changed, 1likq,,ABCDE, 2s1pj ' };
  expect(hashesOf(child({ annotations }), ANNOTATIONS.updaters)).toEqual(['1likq', '2s1pj']);
});
