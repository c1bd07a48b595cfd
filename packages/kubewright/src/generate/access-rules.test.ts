import { expect, test } from 'vitest';
import { accessRules, type SentRequest } from './access-rules.ts';

const options = { namespace: 'home', groups: ['example.com'] };
const sent = (method: string, path: string, status = 200): SentRequest => ({ method, path, status });

test('what is requested of objects of users is allowed for all of them, its own kinds first', () => {
  const { cluster, own } = accessRules(
    [
      sent('GET', '/apis/apps/v1/deployments?limit=500'),
      sent('GET', '/apis/example.com/v1/sites?watch=true'),
      sent('PATCH', '/apis/example.com/v1/namespaces/shop/sites/blog/status'),
      sent('PATCH', '/apis/apps/v1/namespaces/shop/deployments/blog?fieldManager=a', 201),
      sent('GET', '/apis/apps/v1/namespaces/shop/deployments/gone', 404),
      sent('GET', '/apis'),
    ],
    options,
  );
  expect(own).toEqual([]);
  expect(cluster).toEqual([
    { apiGroups: ['example.com'], resources: ['sites'], verbs: ['watch'] },
    { apiGroups: ['example.com'], resources: ['sites/status'], verbs: ['patch'] },
    {
      apiGroups: ['apps'],
      resources: ['deployments'],
      verbs: ['get', 'list', 'watch', 'create', 'patch'],
    },
  ]);
});

test('what is requested in the namespace of the manager alone is allowed there alone, by name where it is named', () => {
  const secrets = '/api/v1/namespaces/home/secrets';
  const leases = '/apis/coordination.k8s.io/v1/namespaces/home/leases';
  const { cluster, own } = accessRules(
    [
      sent('GET', `${secrets}?fieldSelector=metadata.name%3Dcertificates&watch=1`),
      sent('POST', secrets, 201),
      sent('GET', `${leases}/operator`, 404),
      sent('POST', leases, 201),
    ],
    options,
  );
  expect(cluster).toEqual([]);
  expect(own).toEqual([
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['certificates'],
      verbs: ['get', 'watch', 'update'],
    },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: ['operator'],
      verbs: ['get', 'update'],
    },
  ]);
});

test('a kind that is requested in other namespaces too needs no rule in that of the manager', () => {
  const { cluster, own } = accessRules(
    [
      sent('POST', '/api/v1/namespaces/home/events', 201),
      sent('POST', '/api/v1/namespaces/shop/events', 201),
    ],
    options,
  );
  expect(own).toEqual([]);
  expect(cluster).toEqual([{ apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] }]);
});

test('a definition is allowed by its name, and no other', () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { cluster } = accessRules([sent('PATCH', `${definitions}/sites.example.com`, 201)], options);
  expect(cluster).toMatchObject([{ resourceNames: ['sites.example.com'], verbs: ['create', 'patch'] }]);
});
