import { type Json, getOwn, isJsonArray } from '../../json/json.ts';
import { jsonEqual } from '../../json/json-equal.ts';
import { fieldErrors } from '../field-errors.ts';
import type { OpenApiSchema } from '../schema-node.ts';
import { validateValues } from './validate-values.ts';
import { type Errors, errorIf, isSetAt, isTrueAt, mapParts, partAt, textAt } from './schema-part.ts';

/** The place of a schema: the whole object, the items of a list, or a field. */
export type Level = 'root' | 'item' | 'field';

const { forbidden, invalid, required } = fieldErrors;

/**
 * What makes a schema structural: types everywhere, nothing said of `metadata`, value validation that only narrows
 * (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema).
 */
export function validateInvariants(schema: OpenApiSchema, level: Level, path: string): Errors {
  const items = partAt(schema, path, 'items');
  const isArray = textAt(schema, 'type') === 'array';
  return [
    ...errorIf(isArray && items === undefined, () => required(`${path}.items`, 'must be specified')),
    ...(items === undefined ? [] : validateInvariants(items.schema, 'item', items.path)),
    ...mapParts(schema, path, 'properties').flatMap((part) =>
      validateInvariants(part.schema, 'field', part.path),
    ),
    ...validateAdditional(schema, level, path),
    ...validateIntOrString(schema, path),
    ...validateValues(schema, path, {
      skipAnyOf: isAnyOfIntOrString(schema),
      skipFirstAllOf: isAllOfIntOrString(schema),
    }),
    ...validateType(schema, level, path),
    ...validateTypeMeta(schema, level, path),
    ...validateMetadata(schema, level, path),
    ...validateEmbedded(schema, path),
  ];
}

function validateAdditional(schema: OpenApiSchema, level: Level, path: string): Errors {
  const at = `${path}.additionalProperties`;
  const part = partAt(schema, path, 'additionalProperties');
  return [
    ...errorIf(level === 'root' && getOwn(schema, 'additionalProperties') !== undefined, () =>
      forbidden(at, 'must not be used at the root'),
    ),
    ...(part === undefined ? [] : validateInvariants(part.schema, 'field', at)),
  ];
}

function validateIntOrString(schema: OpenApiSchema, path: string): Errors {
  if (!isTrueAt(schema, 'x-kubernetes-int-or-string')) return [];
  return ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']
    .filter((key) => isTrueAt(schema, key))
    .map((key) => invalid(`${path}.${key}`, true, 'must be false if x-kubernetes-int-or-string is true'));
}

const intOrString = [{ type: 'integer' }, { type: 'string' }];

function isAnyOfIntOrString(schema: OpenApiSchema): boolean {
  return jsonEqual(getOwn(schema, 'anyOf'), intOrString);
}

function isAllOfIntOrString(schema: OpenApiSchema): boolean {
  const allOf = getOwn(schema, 'allOf');
  const first: Json | undefined = isJsonArray(allOf) ? allOf[0] : undefined;
  return jsonEqual((first as OpenApiSchema | undefined)?.['anyOf'], intOrString);
}

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function validateType(schema: OpenApiSchema, level: Level, path: string): Errors {
  const type = textAt(schema, 'type');
  const at = `${path}.type`;
  if (isTrueAt(schema, 'x-kubernetes-embedded-resource') && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    return [type === '' ? required(at, why) : invalid(at, type, why)];
  }
  const isOpen = ['x-kubernetes-int-or-string', 'x-kubernetes-preserve-unknown-fields'].some((key) =>
    isTrueAt(schema, key),
  );
  if (type === '') return isOpen ? [] : [required(at, missingType[level])];
  return errorIf(level === 'root' && type !== 'object', () =>
    invalid(at, type, 'must be object at the root'),
  );
}

/** `kind` and `apiVersion` of a resource are texts. */
function validateTypeMeta(schema: OpenApiSchema, level: Level, path: string): Errors {
  if (!isResource(schema, level)) return [];
  return mapParts(schema, path, 'properties')
    .filter((part) => part.key === 'kind' || part.key === 'apiVersion')
    .filter((part) => textAt(part.schema, 'type') !== 'string')
    .map((part) => invalid(`${part.path}.type`, textAt(part.schema, 'type'), 'must be string'));
}

function isResource(schema: OpenApiSchema, level: Level): boolean {
  return level === 'root' || isTrueAt(schema, 'x-kubernetes-embedded-resource');
}

function validateMetadata(schema: OpenApiSchema, level: Level, path: string): Errors {
  const metadata = mapParts(schema, path, 'properties').find((part) => part.key === 'metadata');
  if (metadata === undefined) return [];
  const type = textAt(metadata.schema, 'type');
  return [
    ...errorIf(isResource(schema, level) && type !== 'object', () =>
      invalid(`${metadata.path}.type`, type, 'must be object'),
    ),
    ...errorIf(level === 'root' && saysTooMuch(metadata.schema), () =>
      forbidden(
        metadata.path,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    ),
  ];
}

function saysTooMuch(metadata: OpenApiSchema): boolean {
  const names = mapParts(metadata, '', 'properties').map((part) => part.key);
  const other = Object.keys(metadata).filter((key) => !['type', 'default', 'properties'].includes(key));
  return (
    other.some((key) => isSetAt(metadata, key)) ||
    names.some((name) => name !== 'name' && name !== 'generateName')
  );
}

function validateEmbedded(schema: OpenApiSchema, path: string): Errors {
  if (!isTrueAt(schema, 'x-kubernetes-embedded-resource')) return [];
  const isEmpty =
    !isTrueAt(schema, 'x-kubernetes-preserve-unknown-fields') &&
    mapParts(schema, path, 'properties').length === 0;
  return [
    ...errorIf(getOwn(schema, 'additionalProperties') !== undefined, () =>
      forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'),
    ),
    ...errorIf(isEmpty, () =>
      required(
        `${path}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    ),
  ];
}
