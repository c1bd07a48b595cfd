import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json/json.ts';
import { formatFieldError } from '../format-field-error.ts';
import { validateCrdSchema } from './validate-crd-schema.ts';

/** Schemas of CRDs with one version, and what a kube-apiserver 1.36.2 had against them. */
const recorded = JSON.parse(
  readFileSync(new URL('./testdata/schemas.json', import.meta.url), 'utf8'),
) as readonly { schema: JsonObject; status: boolean; causes: readonly string[] }[];

/** An API server prints a whole Go struct where the root of a schema is refused; that is not imitated. */
const withoutStruct = (cause: string) =>
  cause.replace(/Invalid value: \{.*\}: only/, 'Invalid value: {}: only');

const PATH = 'spec.validation.openAPIV3Schema';

describe('validateCrdSchema', () => {
  test.each(recorded)('$schema', ({ schema, status, causes }) => {
    const errors = validateCrdSchema(schema, PATH, { statusSubresource: status });
    expect(errors.map(formatFieldError).map(withoutStruct).sort()).toEqual(causes.map(withoutStruct));
  });

  test('rules are compiled where nothing else is wrong, and know where oldSelf cannot be used', () => {
    const rules = [{ rule: 'self == oldSelf' }];
    const text = { type: 'string', 'x-kubernetes-validations': rules };
    const seen: string[] = [];
    const schema = {
      type: 'object',
      properties: {
        a: text,
        list: { type: 'array', items: text },
        bad: { type: 'string', 'x-kubernetes-map-type': 'atomic', 'x-kubernetes-validations': rules },
      },
    };
    validateCrdSchema(schema, 's', {
      statusSubresource: false,
      checkRules: ({ path, uncorrelatable }) => {
        seen.push(`${path} ${uncorrelatable}`);
        return [];
      },
    });
    expect(seen).toEqual(['s.properties[a] undefined', 's.properties[list].items s.properties[list]']);
  });
});
