import type { RecordedRequest } from '@kubewright/apiserver';
import type { PolicyRule } from '@kubewright/operators';
import { describe, expect, test } from 'vitest';
import { rightsOf } from './rights.ts';
import { rightsUsed } from './rights-used.ts';

const maps = (verbs: readonly string[], resourceNames?: readonly string[]): PolicyRule => ({
  apiGroups: [''],
  resources: ['configmaps'],
  verbs,
  ...(resourceNames && { resourceNames }),
});

/** A request of `one`, for the ConfigMap `a`. */
const request = (verb: string, more: Partial<RecordedRequest> = {}): RecordedRequest => ({
  verb,
  method: 'GET',
  path: '/api/v1/namespaces/default/configmaps/a',
  user: 'system:serviceaccount:kubewright:one',
  status: 200,
  group: '',
  resource: 'configmaps',
  name: 'a',
  subresource: '',
  ...more,
});

describe('the rights that requests need', () => {
  const used = (rules: readonly PolicyRule[], requests: readonly RecordedRequest[]): readonly string[] => {
    const part = (account: string) => ({ account, rules, add: () => undefined });
    const rights = rightsOf({ resources: [], parts: [part('one'), part('other')] }, undefined);
    return [...rightsUsed(rights, requests)].map(({ name }) => name);
  };

  test('are those of the account, the verb, the resource and the name', () => {
    const rules = [maps(['get', 'delete'], ['a']), maps(['get'], ['b'])];

    expect(used(rules, [request('get')])).toEqual(['one: get configmaps a']);
    expect(used(rules, [request('get', { subresource: 'status' })])).toEqual([]);
    expect(used(rules, [request('get', { group: 'apps' })])).toEqual([]);
  });

  test('are none where two rules allow the same: either may go', () => {
    expect(used([maps(['get']), maps(['get'], ['a'])], [request('get')])).toEqual([]);
  });

  test('are none for what is forbidden', () => {
    expect(used([maps(['get'])], [request('get', { status: 403 })])).toEqual([]);
  });

  test('of an apply that creates are two', () => {
    const rules = [maps(['create', 'patch'])];

    expect(used(rules, [request('patch')])).toEqual(['one: patch configmaps']);
    expect(used(rules, [request('patch', { status: 201 })])).toEqual([
      'one: patch configmaps',
      'one: create configmaps',
    ]);
  });

  test('of the cache are those of all parts', () => {
    const watch = request('watch', { user: 'system:serviceaccount:kubewright:kubewright' });

    expect(used([maps(['watch'])], [watch])).toEqual(['one: watch configmaps', 'other: watch configmaps']);
  });

  test('on a path are those of the path', () => {
    const path: RecordedRequest = { ...request('get'), path: '/healthz?verbose' };
    const { group: _group, resource: _resource, name: _name, subresource: _sub, ...nonResource } = path;
    expect(used([{ nonResourceURLs: ['/healthz'], verbs: ['get'] }], [nonResource])).toEqual([
      'one: get /healthz',
    ]);
  });
});
