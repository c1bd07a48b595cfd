import { loadCatalogue } from '@kubewright/kube/schema';
import { expect, test } from 'vitest';
import { builtInResources } from './built-in-resources.ts';

const resources = builtInResources(loadCatalogue());

test('each kind is found in the catalogue and served once', () => {
  const names = resources.map(({ group, version, resource }) => `${group}/${version}/${resource}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('apps/v1/deployments');
});

test('namespaces cannot be deleted as a collection', () => {
  const namespaces = resources.find(({ resource }) => resource === 'namespaces');
  expect(namespaces?.verbs).not.toContain('deletecollection');
  expect(namespaces?.namespaced).toBe(false);
});
