import { type Json, getOwn, isJsonObject } from '../../json/json.ts';
import { fieldErrors } from '../field-errors.ts';
import type { OpenApiSchema } from '../schema-node.ts';
import { type Errors, errorIf, isTrueAt, mapParts, partAt, textAt, textsAt } from './schema-part.ts';

const { forbidden, invalid, notSupported, required } = fieldErrors;

/** Checks `x-kubernetes-map-type`, `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`. */
export function validateMergeTypes(schema: OpenApiSchema, path: string): Errors {
  return [
    ...validateMapType(schema, path),
    ...validateListType(schema, path),
    ...validateKeysNeedMap(schema, path),
    ...(textAt(schema, 'x-kubernetes-list-type') === 'map' ? validateMapList(schema, path) : []),
    ...validateItemsAreThere(schema, path),
  ];
}

function mustHaveType(schema: OpenApiSchema, path: string, type: string, because: string): Errors {
  const actual = textAt(schema, 'type');
  if (actual === type) return [];
  const why = `must be ${type} if ${because} is specified`;
  return [actual === '' ? required(`${path}.type`, why) : invalid(`${path}.type`, actual, why)];
}

function validateMapType(schema: OpenApiSchema, path: string): Errors {
  const mapType = getOwn(schema, 'x-kubernetes-map-type');
  if (typeof mapType !== 'string') return [];
  const known = ['atomic', 'granular'];
  return [
    ...mustHaveType(schema, path, 'object', 'x-kubernetes-map-type'),
    ...errorIf(!known.includes(mapType), () => notSupported(`${path}.x-kubernetes-map-type`, mapType, known)),
  ];
}

function validateListType(schema: OpenApiSchema, path: string): Errors {
  const listType = getOwn(schema, 'x-kubernetes-list-type');
  if (typeof listType !== 'string') return [];
  const known = ['atomic', 'set', 'map'];
  const typeErrors = mustHaveType(schema, path, 'array', 'x-kubernetes-list-type');
  return [
    ...typeErrors,
    ...(typeErrors.length === 0 && listType === 'set' ? validateSetItems(schema, path) : []),
    ...errorIf(!known.includes(listType), () =>
      notSupported(`${path}.x-kubernetes-list-type`, listType, known),
    ),
  ];
}

/** Items of a set are atomic. */
function validateSetItems(schema: OpenApiSchema, path: string): Errors {
  const items = partAt(schema, path, 'items');
  if (items === undefined) return [];
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = getOwn(items.schema, 'x-kubernetes-list-type') ?? null;
  switch (textAt(items.schema, 'type')) {
    case 'array':
      return errorIf(listType !== null && listType !== 'atomic', () =>
        invalid(`${items.path}.x-kubernetes-list-type`, listType, why),
      );
    case 'object':
      return errorIf(textAt(items.schema, 'x-kubernetes-map-type') !== 'atomic', () =>
        invalid(`${items.path}.x-kubernetes-map-type`, listType, why),
      );
    default:
      return [];
  }
}

function validateKeysNeedMap(schema: OpenApiSchema, path: string): Errors {
  if (textsAt(schema, 'x-kubernetes-list-map-keys').length === 0) return [];
  const listType = textAt(schema, 'x-kubernetes-list-type');
  const at = `${path}.x-kubernetes-list-type`;
  const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
  if (listType === '') return [required(at, why)];
  return errorIf(listType !== 'map', () => invalid(at, listType, why));
}

function validateMapList(schema: OpenApiSchema, path: string): Errors {
  const keys = textsAt(schema, 'x-kubernetes-list-map-keys');
  const items = partAt(schema, path, 'items');
  const noKeys = errorIf(keys.length === 0, () =>
    required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'),
  );
  if (items === undefined) {
    return [...noKeys, required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  }
  const type = textAt(items.schema, 'type');
  if (type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    return [...noKeys, invalid(`${items.path}.type`, type, why)];
  }
  return [
    ...noKeys,
    ...keys.flatMap((key, index) => validateKey(schema, path, key, keys.indexOf(key) < index)),
  ];
}

function validateKey(schema: OpenApiSchema, path: string, key: string, isRepeated: boolean): Errors {
  const items = partAt(schema, path, 'items');
  const keys = [...textsAt(schema, 'x-kubernetes-list-map-keys')];
  const at = `${path}.x-kubernetes-list-map-keys`;
  const property = mapParts(items?.schema ?? {}, `${path}.items`, 'properties').find(
    (part) => part.key === key,
  );
  const type = textAt(property?.schema ?? {}, 'type');
  return [
    ...errorIf(property === undefined, () =>
      invalid(at, keys, 'entries must all be names of item properties'),
    ),
    ...errorIf(type === 'array' || type === 'object', () =>
      invalid(
        `${path}.items.properties[${key}].type`,
        'object',
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
      ),
    ),
    ...errorIf(isRepeated, () => invalid(at, keys, 'must not contain duplicate entries')),
  ];
}

/** Items of sets and map lists are never null, and the keys of map lists always there. */
function validateItemsAreThere(schema: OpenApiSchema, path: string): Errors {
  const listType = textAt(schema, 'x-kubernetes-list-type');
  const items = partAt(schema, path, 'items');
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const keys = listType === 'map' ? textsAt(schema, 'x-kubernetes-list-map-keys') : [];
  return [
    ...errorIf(isTrueAt(items.schema, 'nullable'), () =>
      forbidden(`${items.path}.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    ),
    ...keys.flatMap((key) => validateKeyIsThere(items.schema, items.path, key)),
  ];
}

function validateKeyIsThere(items: OpenApiSchema, path: string, key: string): Errors {
  const properties = getOwn(items, 'properties');
  const property: Json | undefined = isJsonObject(properties) ? getOwn(properties, key) : undefined;
  if (!isJsonObject(property)) return [];
  const at = `${path}.properties[${key}]`;
  const isMissing = !textsAt(items, 'required').includes(key) && getOwn(property, 'default') === undefined;
  const because = 'this property is in x-kubernetes-list-map-keys, so it';
  return [
    ...errorIf(isMissing, () =>
      required(`${at}.default`, `${because} must have a default or be a required property`),
    ),
    ...errorIf(isTrueAt(property, 'nullable'), () =>
      forbidden(`${at}.nullable`, `${because} cannot be nullable`),
    ),
  ];
}
