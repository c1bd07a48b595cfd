import { isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { OPERATORS } from '../operators.ts';

/** Kinds of which `kubectl explain` says something of every field. */
const EXPLAINED = ['CaptureSchedule', 'Composition', 'ControllerProfile', 'ResourceSlice', 'Synthesizer'];

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

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

test.each(EXPLAINED)('kubectl explain describes every field of a %s', async (wanted) => {
  const loaded = await Promise.all(OPERATORS.map((operator) => operator.load()));
  const resource = loaded.flatMap(({ resources }) => resources).find(({ kind }) => kind === wanted);
  const spec = asObject(asObject(resource?.definition)['spec']);
  const [version] = Array.isArray(spec['versions']) ? spec['versions'] : [];
  const schema = asObject(asObject(asObject(version)['schema'])['openAPIV3Schema']);
  const { spec: wish, status } = asObject(schema['properties']);
  expect(wish ?? status).toBeDefined();
  expect([...bare(wish, '.spec'), ...bare(status, '.status')]).toEqual([]);
});
