import { isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { OPERATORS } from '../operators.ts';

const KNOWN_TO_EVERYBODY = new Set(['apiVersion', 'kind', 'metadata']);

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const asList = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((one) => asObject(one)) : [];

/** The fields of a schema without a description. */
function bare(schema: Json | undefined, path: string): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { properties, items, additionalProperties } = schema;
  const fields = Object.entries(asObject(properties)).flatMap(([name, field]) => [
    ...(asObject(field)['description'] === undefined ? [`${path}.${name}`] : []),
    ...bare(field, `${path}.${name}`),
  ]);
  return [...fields, ...bare(items, `${path}[]`), ...bare(additionalProperties, `${path}.*`)];
}

/** Every version of every kind that is installed. */
const VERSIONS = (await Promise.all(OPERATORS.map((operator) => operator.load())))
  .flatMap(({ resources }) => resources)
  .flatMap(({ kind, definition }) =>
    asList(asObject(definition['spec'])['versions']).map((version) => ({
      title: `${kind} ${textOf(version['name'])}`,
      schema: asObject(asObject(version['schema'])['openAPIV3Schema']),
    })),
  );

test('there are kinds to explain', () => {
  expect(VERSIONS.length).toBeGreaterThan(15);
});

test.each(VERSIONS)('kubectl explain describes every field of $title', ({ schema }) => {
  expect(schema['description']).toBeDefined();
  const own = Object.entries(asObject(schema['properties'])).filter(
    ([name]) => !KNOWN_TO_EVERYBODY.has(name),
  );
  expect(bare({ properties: Object.fromEntries(own) }, '')).toEqual([]);
});
