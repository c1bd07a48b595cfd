import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../json/json.ts';
import { compileSchema } from '../compile-schema.ts';
import { formatFieldError } from '../format-field-error.ts';
import { decodeStructural } from './decode-structural.ts';
import { validateStructural } from './validate-structural.ts';

type Case = {
  readonly spec: JsonObject;
  /** What a kube-apiserver 1.36.2 kept, or said. */
  readonly stored?: Json;
  readonly causes?: readonly string[];
  readonly refused?: string;
  readonly strict?: string;
};

const recorded = JSON.parse(readFileSync(new URL('./testdata/gadgets.json', import.meta.url), 'utf8')) as {
  readonly schema: JsonObject;
  readonly cases: readonly Case[];
};

const node = compileSchema(recorded.schema);

function read(spec: JsonObject) {
  const object = { apiVersion: 'engb.ex.io/v1', kind: 'Gadget', metadata: { name: 'g' }, spec };
  const decoded = decodeStructural(node, object);
  const errors = validateStructural(node, decoded.object).map(formatFieldError).sort();
  return { ...decoded, spec: (decoded.object as JsonObject)['spec'], causes: errors };
}

describe('custom resources as a real API server takes them', () => {
  test.each(recorded.cases.filter((one) => one.causes !== undefined))('refuses $spec', ({ spec, causes }) => {
    expect(read(spec).causes).toEqual(causes);
  });

  test.each(recorded.cases.filter((one) => one.stored !== undefined))('keeps $spec', ({ spec, stored }) => {
    const result = read(spec);
    expect(result.causes).toEqual([]);
    expect(result.spec).toEqual(stored);
  });

  test.each(recorded.cases.filter((one) => one.refused !== undefined))(
    'cannot read $spec',
    ({ spec, refused }) => {
      expect(refused).toContain(read(spec).errors[0]?.message);
    },
  );

  test.each(recorded.cases.filter((one) => one.strict !== undefined))(
    'knows what is unknown in $spec',
    ({ spec, strict }) => {
      const unknown = read(spec).unknownFields.map((path) => `unknown field "${path}"`);
      expect(unknown.join(', ')).toBe(strict);
    },
  );
});

/** Objects made under a laxer schema, changes to them, and what a kube-apiserver 1.36.2 had against the changes. */
const ratchets = JSON.parse(readFileSync(new URL('./testdata/ratchets.json', import.meta.url), 'utf8')) as {
  readonly schema: JsonObject;
  readonly cases: readonly { before: JsonObject; after: JsonObject; causes: readonly string[] }[];
};

describe('what did not change is not held against an update', () => {
  const node = compileSchema(ratchets.schema);
  const whole = (spec: JsonObject) => ({ apiVersion: 'engb.ex.io/v1', kind: 'Ratchet', spec });

  test.each(ratchets.cases)('$before to $after', ({ before, after, causes }) => {
    const errors = validateStructural(node, whole(after), whole(before)).map(formatFieldError).sort();
    expect(errors).toEqual(causes);
  });
});
