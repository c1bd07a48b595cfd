import { expect, test } from 'vitest';
import { requestInfo } from './request-info.ts';

test.each([
  ['GET', '/api/v1/namespaces', 'list', { resource: 'namespaces', namespace: '', name: '' }],
  ['GET', '/api/v1/namespaces/a', 'get', { resource: 'namespaces', namespace: 'a', name: 'a' }],
  ['PUT', '/api/v1/namespaces/a/finalize', 'update', { resource: 'namespaces', subresource: 'finalize' }],
  ['GET', '/api/v1/namespaces/a/pods', 'list', { resource: 'pods', namespace: 'a', inNamespace: true }],
  ['GET', '/api/v1/pods?watch=1', 'watch', { resource: 'pods', namespace: '' }],
  ['GET', '/api/v1/pods?watch=false', 'list', { resource: 'pods' }],
  ['GET', '/api/v1/watch/namespaces/a/pods', 'watch', { resource: 'pods', namespace: 'a' }],
  ['DELETE', '/apis/apps/v1/namespaces/a/deployments', 'deletecollection', { group: 'apps', version: 'v1' }],
  ['PATCH', '/apis/apps/v1/namespaces/a/deployments/d/scale', 'patch', { name: 'd', subresource: 'scale' }],
  ['GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab', 'get', { name: 'a:b' }],
])('%s %s is %s', (method, path, verb, resource) => {
  const info = requestInfo({ method: method as 'GET', path });
  expect(info?.verb).toBe(verb);
  expect(info?.resource).toMatchObject(resource);
});

test.each(['/', '/api', '/api/v1', '/apis/apps/v1', '/version', '/openapi/v3/api/v1'])(
  '%s is no resource',
  (path) => {
    expect(requestInfo({ method: 'GET', path })?.resource).toBeUndefined();
  },
);

test('a path that cannot be decoded is none', () => {
  expect(requestInfo({ method: 'GET', path: '/api/v1/pods/%ff' })).toBeUndefined();
});
