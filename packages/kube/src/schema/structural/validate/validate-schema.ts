import { jsonEqual } from '../../../json/json-equal.ts';
import { canonicalJson } from '../../../json/stringify-json.ts';
import {
  type Json,
  type JsonArray,
  type JsonObject,
  getOwn,
  isJsonArray,
  isJsonObject,
} from '../../../json/json.ts';
import { fieldErrors } from '../../field-errors.ts';
import type { OpenApiSchema } from '../../schema-node.ts';
import { type Correlation, correlateField, correlateItem, isUnchanged } from './correlation.ts';
import { type Result, addError, addInvalid, addUnplaced, fieldAt, merge, newResult } from './result.ts';
import { isNumeric, validateNumber } from './validate-number.ts';
import { validateFormat, validateString } from './validate-string.ts';
import { validateType, formatOf, typesOf } from './validate-type.ts';

/** What is validated: a value, where it is, and what it replaces. */
type Subject = {
  readonly value: Json;
  readonly path: string;
  readonly correlation?: Correlation | undefined;
};

/**
 * Validates a value against a structural schema, in the order and with the words of an API server
 * (k8s.io/kube-openapi/pkg/validation/validate). `correlation` has the old value, if any.
 */
export function validateSchema(schema: OpenApiSchema, subject: Subject): Result {
  const result = validateAlone(schema, subject);
  if (result.errors.size === 0 || subject.correlation === undefined) return result;
  return isUnchanged(subject.correlation) ? newResult(result.matches) : result;
}

function validateAlone(schema: OpenApiSchema, subject: Subject): Result {
  const { value, path } = subject;
  const result = newResult();
  const run = (applies: boolean, check: () => Result): void => {
    if (!applies) return;
    merge(result, check());
    result.matches++;
  };
  if (value === null) {
    merge(result, validateType(schema, value, path));
    merge(result, validateEnum(schema, subject));
    return result;
  }
  run(typesOf(schema).length > 0 || formatOf(schema) !== '', () => validateType(schema, value, path));
  run(true, () => validateAlternatives(schema, subject));
  if (typeof value === 'string') {
    run(true, () => validateString(schema, value, path));
    run(formatOf(schema) !== '', () => validateFormat(schema, value, path));
  }
  if (isNumeric(value)) run(true, () => validateNumber(schema, value, path));
  if (isJsonArray(value)) run(true, () => validateList(schema, value, subject));
  run(true, () => validateEnum(schema, subject));
  if (isJsonObject(value)) run(true, () => validateObject(schema, value, subject));
  result.matches++;
  return result;
}

function validateEnum(schema: OpenApiSchema, { value, path }: Subject): Result {
  const result = newResult();
  const values = getOwn(schema, 'enum');
  if (!isJsonArray(values) || values.length === 0 || values.some((item) => jsonEqual(item, value)))
    return result;
  const supported = values.map((item) => (typeof item === 'string' ? item : canonicalJson(item)));
  const message = `${path} in body should be one of [${supported.join(' ')}]`;
  addError(result, message, fieldErrors.notSupported(fieldAt(path), value ?? '', supported));
  return result;
}

function validateList(schema: OpenApiSchema, value: JsonArray, { path, correlation }: Subject): Result {
  const result = newResult(1);
  const items = getOwn(schema, 'items');
  if (isJsonObject(items)) {
    value.forEach((item, index) => {
      const old = correlateItem(correlation, index);
      merge(result, validateSchema(items, { value: item, path: `${path}[${index}]`, correlation: old }));
    });
  }
  const [minimum, maximum] = [getOwn(schema, 'minItems'), getOwn(schema, 'maxItems')];
  if (typeof minimum === 'number' && value.length < minimum) {
    addInvalid(result, path, value.length, `${path} in body should have at least ${minimum} items`);
  }
  if (typeof maximum === 'number' && value.length > maximum) {
    const message = `${path} in body should have at most ${maximum} items`;
    addError(result, message, fieldErrors.tooMany(fieldAt(path), value.length, maximum));
  }
  if (getOwn(schema, 'uniqueItems') === true && new Set(value.map(canonicalJson)).size < value.length) {
    addInvalid(result, path, '', `${path} in body shouldn't contain duplicates`);
  }
  return result;
}

function validateObject(schema: OpenApiSchema, value: JsonObject, subject: Subject): Result {
  const result = newResult();
  const { path } = subject;
  checkSize(result, schema, Object.keys(value).length, path);
  checkOtherFields(result, schema, value, subject);
  const properties = propertiesOf(schema);
  for (const name of Object.keys(value)) {
    const property = getOwn(properties, name);
    if (!isJsonObject(property)) continue;
    const at = path === '' ? name : `${path}.${name}`;
    merge(result, validateSchema(property, fieldOf(subject, value, name, at)));
  }
  const required = getOwn(schema, 'required');
  for (const name of isJsonArray(required) ? required : []) {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
    const at = `${path}.${name}`;
    addError(result, `${at} in body is required`, fieldErrors.required(fieldAt(at), ''));
  }
  return result;
}

/** `apiVersion` and `kind` of the whole object are never compared with the old ones. */
function fieldOf(subject: Subject, value: JsonObject, name: string, path: string): Subject {
  const isTypeMeta = subject.path === '' && (name === 'apiVersion' || name === 'kind');
  const correlation = isTypeMeta ? undefined : correlateField(subject.correlation, name);
  return { value: value[name] as Json, path, correlation };
}

function checkSize(result: Result, schema: OpenApiSchema, size: number, path: string): void {
  const [minimum, maximum] = [getOwn(schema, 'minProperties'), getOwn(schema, 'maxProperties')];
  if (typeof minimum === 'number' && size < minimum) {
    addInvalid(result, path, size, `${path} in body should have at least ${minimum} properties`);
  }
  if (typeof maximum === 'number' && size > maximum) {
    const message = `${path} in body should have at most ${maximum} properties`;
    addError(result, message, fieldErrors.tooMany(fieldAt(path), size, maximum));
  }
}

/** Fields without a property of their own. */
function checkOtherFields(result: Result, schema: OpenApiSchema, value: JsonObject, subject: Subject): void {
  const values = getOwn(schema, 'additionalProperties');
  if (values === undefined || values === true) return;
  const properties = propertiesOf(schema);
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(properties, key)) continue;
    const at = `${subject.path}.${key}`;
    if (isJsonObject(values)) merge(result, validateSchema(values, fieldOf(subject, value, key, at)));
    else addInvalid(result, subject.path, key, `${at} in body is a forbidden property`);
  }
}

const none: JsonObject = {};

function propertiesOf(schema: OpenApiSchema): JsonObject {
  const properties = getOwn(schema, 'properties');
  return isJsonObject(properties) ? properties : none;
}

function schemasAt(schema: OpenApiSchema, key: string): readonly OpenApiSchema[] {
  const schemas = getOwn(schema, key);
  return isJsonArray(schemas) ? schemas.filter(isJsonObject) : [];
}

/** `anyOf`, `oneOf`, `allOf` and `not`. What is inside is held against unchanged values too. */
function validateAlternatives(schema: OpenApiSchema, { value, path }: Subject): Result {
  const result = newResult();
  const subject = { value, path };
  checkAnyOf(result, schemasAt(schema, 'anyOf'), subject);
  checkOneOf(result, schemasAt(schema, 'oneOf'), subject);
  checkAllOf(result, schemasAt(schema, 'allOf'), subject);
  const not = getOwn(schema, 'not');
  if (isJsonObject(not) && validateAlone(not, subject).errors.size === 0) {
    addUnplaced(result, `${JSON.stringify(path)} must not validate the schema (not)`);
  }
  result.matches++;
  return result;
}

function checkAnyOf(result: Result, schemas: readonly OpenApiSchema[], subject: Subject): void {
  let best: Result | undefined;
  for (const schema of schemas) {
    const found = validateAlone(schema, subject);
    if (found.errors.size === 0) return merge(result, found);
    if (best === undefined || found.matches > best.matches) best = found;
  }
  if (best === undefined) return;
  addUnplaced(result, `${JSON.stringify(subject.path)} must validate at least one schema (anyOf)`);
  merge(result, best);
}

function checkOneOf(result: Result, schemas: readonly OpenApiSchema[], subject: Subject): void {
  if (schemas.length === 0) return;
  const found = schemas.map((schema) => validateAlone(schema, subject));
  const valid = found.filter(({ errors }) => errors.size === 0);
  if (valid.length === 1) return merge(result, valid[0] as Result);
  const why = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  addUnplaced(
    result,
    `${JSON.stringify(subject.path)} must validate one and only one schema (oneOf). ${why}`,
  );
  if (valid.length > 0) return;
  merge(
    result,
    found.reduce((best, other) => (other.matches > best.matches ? other : best)),
  );
}

function checkAllOf(result: Result, schemas: readonly OpenApiSchema[], subject: Subject): void {
  if (schemas.length === 0) return;
  const found = schemas.map((schema) => validateAlone(schema, subject));
  for (const one of found) merge(result, one);
  const valid = found.filter(({ errors }) => errors.size === 0).length;
  if (valid === found.length) return;
  const why = valid === 0 ? '. None validated' : '';
  addUnplaced(result, `${JSON.stringify(subject.path)} must validate all the schemas (allOf)${why}`);
}
