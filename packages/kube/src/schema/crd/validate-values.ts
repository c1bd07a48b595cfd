import { getOwn } from '../../json/json.ts';
import { fieldErrors } from '../field-errors.ts';
import type { OpenApiSchema } from '../schema-node.ts';
import { compileRe2 } from '../structural/compile-re2.ts';
import {
  type Errors,
  errorIf,
  isSetAt,
  isTrueAt,
  listParts,
  mapParts,
  type SchemaPart,
  partAt,
  textAt,
} from './schema-part.ts';

const { forbidden, invalid } = fieldErrors;

type Skip = {
  /** The `anyOf` is the one that spells out an int-or-string: its types are allowed. */
  readonly skipAnyOf?: boolean;
  /** The same inside the first schema of `allOf`. */
  readonly skipFirstAllOf?: boolean;
};

/** Checks the value validation of a schema: `allOf`, `anyOf`, `oneOf`, `not`, and `pattern`. */
export function validateValues(schema: OpenApiSchema, path: string, skip: Skip = {}): Errors {
  const anyOf = skip.skipAnyOf === true ? [] : listParts(schema, path, 'anyOf');
  const not = partAt(schema, path, 'not');
  return [
    ...anyOf.flatMap((part) => validateNested(part)),
    ...listParts(schema, path, 'allOf').flatMap((part, index) =>
      validateNested(part, { skipAnyOf: skip.skipFirstAllOf === true && index === 0 }),
    ),
    ...listParts(schema, path, 'oneOf').flatMap((part) => validateNested(part)),
    ...(not === undefined ? [] : validateNested(not)),
    ...validatePattern(schema, path),
  ];
}

function validatePattern(schema: OpenApiSchema, path: string): Errors {
  const pattern = textAt(schema, 'pattern');
  const compiled = pattern === '' ? undefined : compileRe2(pattern);
  if (compiled === undefined || !('problem' in compiled)) return [];
  const detail = `must be a valid regular expression, but isn't: ${compiled.problem}`;
  return [invalid(`${path}.pattern`, pattern, detail)];
}

/** The keywords that a schema inside a junctor may not have, by the text for "unset". */
const mustBe: readonly [key: string, what: string][] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

function validateNested({ schema, path }: SchemaPart, skip: Skip = {}): Errors {
  const items = partAt(schema, path, 'items');
  const properties = mapParts(schema, path, 'properties');
  const metadata = properties.find((part) => part.key === 'metadata');
  return [
    ...validateValues(schema, path, skip),
    ...(items === undefined ? [] : validateNested(items)),
    ...properties.flatMap((part) => validateNested(part)),
    ...mustBe
      .filter(([key]) => isSaid(schema, key))
      .map(([key, what]) => forbidden(`${path}.${key}`, `must be ${what} to be structural`)),
    ...errorIf(metadata !== undefined, () =>
      forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'),
    ),
  ];
}

function isSaid(schema: OpenApiSchema, key: string): boolean {
  if (key === 'default') return getOwn(schema, key) !== undefined && getOwn(schema, key) !== null;
  return isSetAt(schema, key) || isTrueAt(schema, key);
}
