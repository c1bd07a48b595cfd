import { describe, expect, test } from 'vitest';
import { isJsonObject } from '../json/json.ts';
import { loadCatalogue } from './catalogue.ts';
import { importCatalogue } from './import-catalogue.ts';
import type { SchemaNode } from './schema-node.ts';

const catalogue = loadCatalogue();

function at(
  kind: { group: string; version: string; kind: string },
  ...path: string[]
): SchemaNode | undefined {
  let node = catalogue.schemaOf(kind);
  for (const step of path) {
    if (node?.kind === 'list') node = node.items;
    node = node?.kind === 'struct' ? node.fields.get(step)?.node : undefined;
  }
  return node;
}

const deployment = { group: 'apps', version: 'v1', kind: 'Deployment' };
const containers = ['spec', 'template', 'spec', 'containers'];

describe('the built-in catalogue', () => {
  test('knows the merge keys of containers and their ports', () => {
    expect(at(deployment, ...containers)).toMatchObject({
      kind: 'list',
      listType: 'map',
      keys: ['name'],
      patch: { mergeKey: 'name', strategies: ['merge'] },
    });
    expect(at(deployment, ...containers, 'ports')).toMatchObject({
      listType: 'map',
      keys: ['containerPort', 'protocol'],
      patch: { mergeKey: 'containerPort' },
    });
    expect(at(deployment, ...containers, 'ports', 'protocol')).toMatchObject({ default: 'TCP' });
  });

  test('knows atomic selectors, quantities, times and int-or-strings', () => {
    expect(at(deployment, 'spec', 'selector')).toMatchObject({ kind: 'struct', atomic: true });
    expect(at(deployment, ...containers, 'resources', 'limits')).toMatchObject({
      kind: 'map',
      values: { kind: 'scalar', scalar: 'quantity' },
    });
    expect(at(deployment, 'metadata', 'creationTimestamp')).toMatchObject({ scalar: 'time' });
    expect(at(deployment, 'spec', 'strategy', 'rollingUpdate', 'maxSurge')).toMatchObject({
      scalar: 'int-or-string',
    });
    expect(at({ group: '', version: 'v1', kind: 'Secret' }, 'data')).toMatchObject({
      values: { scalar: 'bytes' },
    });
    const lease = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' };
    expect(at(lease, 'spec', 'renewTime')).toMatchObject({ scalar: 'micro-time' });
  });

  test('knows what Go types do with zero values', () => {
    const spec = at(deployment, 'spec');
    const fields = spec?.kind === 'struct' ? [...spec.fields.values()] : [];
    const zeros = Object.fromEntries(fields.map((field) => [field.name, field.zero]));
    expect(zeros).toMatchObject({
      replicas: 'kept',
      paused: 'dropped',
      template: 'written',
      selector: 'null',
    });
    expect(spec).toMatchObject({ goType: 'v1.DeploymentSpec' });
  });

  test('lists kinds of every group it has a document for', () => {
    expect(catalogue.kinds()).toContainEqual(deployment);
    expect(catalogue.schemaOf({ group: 'apps', version: 'v9', kind: 'Deployment' })).toBeUndefined();
    const document = catalogue.openApiDocuments.get('apis/apps/v1');
    const components = document?.['components'];
    const schemas = isJsonObject(components) ? components['schemas'] : undefined;
    expect(schemas).toHaveProperty(['io.k8s.api.core.v1.PodSpec']);
  });

  test('carries no prose', () => {
    expect(JSON.stringify(catalogue.data.definitions)).not.toMatch(/"description":"[A-Z]/);
    const crd = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
    const columns = ['spec', 'versions', 'additionalPrinterColumns'];
    // A field that is called `description` is not prose.
    expect(at(crd, ...columns, 'description')).toMatchObject({ scalar: 'string' });
  });
});

test('importing drops prose, joins the kinds of shared definitions and skips documents without types', () => {
  const kind = (group: string) => [{ group, version: 'v1', kind: 'DeleteOptions' }];
  const document = (group: string) => ({
    info: { version: 'v1.99.0' },
    components: {
      schemas: {
        Options: { type: 'object', description: 'Long.', 'x-kubernetes-group-version-kind': kind(group) },
      },
    },
  });
  const data = importCatalogue(
    { 'apis/a/v1': document('a'), 'apis/b/v1': document('b'), apis: document('c'), version: {} },
    { Options: { go: 'v1.Options', fields: { a: 'd', b: 'k' } } },
  );
  expect(data).toEqual({
    version: 'v1.99.0',
    documents: { 'apis/a/v1': [0], 'apis/b/v1': [0] },
    definitions: {
      Options: { type: 'object', 'x-kubernetes-group-version-kind': [...kind('a'), ...kind('b')] },
    },
    goTypes: { Options: { go: 'v1.Options', fields: { b: 'k' } } },
  });
});
