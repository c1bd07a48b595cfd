import type { KubeObject, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { containerOf } from '../../kit/contents-of.ts';
import type { ResourceSlice } from '../api.ts';
import { claimOn } from './claim-on.ts';

const stored = ({ metadata, ...rest }: KubeObject): Stored => ({
  ...rest,
  metadata: { name: 'a', uid: 'u', resourceVersion: '1', ...metadata },
});
const object = (apiVersion: string, kind: string, metadata: object): KubeObject => ({
  apiVersion,
  kind,
  metadata,
});
const slice = (namespace: string, ...texts: readonly string[]): ResourceSlice => ({
  apiVersion: 'eno.azure.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 'b-1', namespace },
  spec: { resources: texts.map((manifest) => ({ manifest })) },
});
const settings = object('v1', 'ConfigMap', { name: 'settings', namespace: 'shop' });
const room = stored(object('v1', 'Namespace', { name: 'shop' }));
const definition = stored({
  ...object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { name: 'carts.example.com' }),
  spec: { group: 'example.com', names: { kind: 'Cart', plural: 'carts' }, scope: 'Namespaced', versions: [] },
});
const cart = object('example.com/v2', 'Cart', { name: 'one', namespace: 'shop' });
const role = object('rbac.authorization.k8s.io/v1', 'ClusterRole', { name: 'settings', namespace: 'shop' });
const claim = (live: Stored, one: ResourceSlice): string | undefined => claimOn(one, live, containerOf(live));

test.each<[what: string, live: Stored, wanted: KubeObject, claim: string | undefined]>([
  ['the object itself', stored(settings), settings, ''],
  [
    'the same name elsewhere',
    stored(settings),
    { ...settings, metadata: { name: 'settings', namespace: 'x' } },
    undefined,
  ],
  ['an object in a namespace', room, settings, 'ConfigMap shop/settings'],
  ['no object in it, where its kind has no namespace', room, role, undefined],
  [
    'an object without a namespace, which a manifest names',
    stored({ ...role, metadata: { name: 'settings' } }),
    role,
    '',
  ],
  ['a resource of a definition, at any version', definition, cart, 'Cart shop/one'],
  [
    'a resource of the same name in another group',
    definition,
    { ...cart, apiVersion: 'example.org/v1' },
    undefined,
  ],
])('a slice wants %s', (_what, live, wanted, expected) => {
  expect(claim(live, slice('other', JSON.stringify(wanted)))).toBe(expected);
});

test('a slice in a namespace goes with that, and takes its objects along', () => {
  expect(
    claim(room, slice('shop', JSON.stringify({ ...settings, metadata: { name: 'x', namespace: 'y' } }))),
  ).toBe('ResourceSlice shop/b-1');
  expect(claim(room, slice('shop'))).toBeUndefined();
});

test('what a slice has on record counts while one of its manifests cannot be read', () => {
  const entry = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'shop' };
  const status = { inventory: [entry] };
  expect(claim(stored(settings), { ...slice('other', '{'), status })).toBe('');
  expect(claim(stored(settings), { ...slice('other', JSON.stringify(cart)), status })).toBeUndefined();
});

test.each([
  ['quotes', JSON.stringify(object('v1', 'ConfigMap', { name: 'say "a"', namespace: 'shop' }))],
  [
    'numbers of characters',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s\\u0061y \\u0022a\\"","namespace":"shop"}}',
  ],
])('a name that is written with %s is found', (_what, text) => {
  const live = stored(object('v1', 'ConfigMap', { name: 'say "a"', namespace: 'shop' }));
  expect(claim(live, slice('other', text))).toBe('');
});
