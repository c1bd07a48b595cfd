import type { JsonObject, KubeObject } from '@kubewright/kube';
import { formatFieldError } from '@kubewright/kube/validation';
import { describe, expect, test } from 'vitest';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { validateDefinition } from './validate-definition.ts';

const version = (name: string, schema: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: schema },
  ...more,
});

const definition = (...versions: JsonObject[]): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'xs.ex.io' },
  spec: {
    group: 'ex.io',
    scope: 'Namespaced',
    names: { plural: 'xs', singular: 'x', kind: 'X', listKind: 'XList' },
    conversion: { strategy: 'None' },
    versions,
  },
  status: { storedVersions: ['v1'] },
});

const errorsOf = (crd: KubeObject) => validateDefinition(crd).map(formatFieldError).sort();

const good = { type: 'object', properties: { spec: { type: 'object' } } };
const bad = { type: 'object', properties: { spec: { type: 'objec' } } };

test('a format that is not checked is warned about once, and not again', () => {
  const text = (format: string) => ({ type: 'string', format });
  const crd = definition(
    version('v1', {
      type: 'object',
      properties: { a: text('date'), b: text('odd'), c: { type: 'array', items: text('odd') } },
    }),
  );
  expect(customResourceDefinition.warnings?.(crd)).toEqual(['unrecognized format "odd"']);
  expect(customResourceDefinition.warnings?.(crd, crd)).toEqual([]);
});

describe('validateDefinition', () => {
  test('has nothing against a good one', () => {
    expect(errorsOf(definition(version('v1', good)))).toEqual([]);
    expect(errorsOf(definition(version('v1', good), version('v2', good)))).toEqual([]);
  });

  test('names what all versions share where an API server does (recorded from 1.36.2)', () => {
    const more = {
      subresources: { scale: { specReplicasPath: 'x' } },
      additionalPrinterColumns: [{ name: 'a' }],
    };
    expect(errorsOf(definition(version('v1', bad, more)))).toEqual([
      'spec.additionalPrinterColumns[0].JSONPath: Required value',
      'spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string',
      'spec.subresources.scale.specReplicasPath: Invalid value: "x": must be a simple json path starting with .',
      'spec.subresources.scale.statusReplicasPath: Required value',
      'spec.validation.openAPIV3Schema.properties[spec].type: Unsupported value: "objec": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ]);
  });

  test('compiles validation rules, and knows where they may look back', () => {
    const rules = (...texts: string[]) => ({
      'x-kubernetes-validations': texts.map((rule) => ({ rule })),
    });
    const schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' } },
          ...rules('self.a > 1', 'self.b > 1', 'self.a'),
        },
        list: { type: 'array', items: { type: 'string', ...rules("self == oldSelf || self == 'oldSelf'") } },
      },
    };
    const fields = validateDefinition(definition(version('v1', schema))).map(({ field }) => field);
    const root = 'spec.validation.openAPIV3Schema.properties';
    expect(fields).toEqual([
      `${root}[spec].x-kubernetes-validations[1].rule`,
      `${root}[spec].x-kubernetes-validations[2].rule`,
      `${root}[list].items.x-kubernetes-validations[0].rule`,
    ]);
  });

  test('names what one version has alone by the version', () => {
    expect(errorsOf(definition(version('v1', good), version('v2', bad)))).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.properties[spec].type: Unsupported value: "objec": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ]);
  });
});
