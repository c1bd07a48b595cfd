import { type Json, type JsonObject, getOwn, isJsonArray, isJsonObject } from '../../../json/json.ts';
import { isDns1035Label } from '../../../object/dns-names.ts';
import { loadCatalogue } from '../../catalogue.ts';
import { decodeBuiltIn } from '../../decode/decode-built-in.ts';
import type { FieldError } from '../../field-error.ts';
import { fieldErrors } from '../../field-errors.ts';
import type { SchemaNode } from '../../schema-node.ts';
import { isEmbedded, itemsOf, propertyOf } from '../property-of.ts';
import { childPath } from './validate-lists.ts';

/** Checks `apiVersion`, `kind` and `metadata` of resources inside the resource (`x-kubernetes-embedded-resource`). */
export function validateEmbedded(
  node: SchemaNode | undefined,
  value: Json,
  path: string,
): readonly FieldError[] {
  if (node === undefined) return [];
  if (isJsonArray(value)) {
    return value.flatMap((item, index) => validateEmbedded(itemsOf(node), item, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  const own = isEmbedded(node) ? validateResource(value, path) : [];
  const inside = Object.entries(value).flatMap(([key, item]) =>
    validateEmbedded(propertyOf(node, key), item, childPath(node, key, path)),
  );
  return [...own, ...inside];
}

function validateResource(value: JsonObject, path: string): readonly FieldError[] {
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  return [
    ...validateText(value, 'apiVersion', at('apiVersion'), apiVersionProblem),
    ...validateText(value, 'kind', at('kind'), kindProblem),
    ...validateMetadata(value, at('metadata')),
  ];
}

function validateText(
  value: JsonObject,
  key: string,
  path: string,
  problemOf: (text: string) => string | undefined,
): readonly FieldError[] {
  const item = getOwn(value, key);
  if (item === undefined) return [fieldErrors.required(path, '')];
  if (typeof item !== 'string') return [fieldErrors.invalid(path, item, 'must be a string')];
  const problem = item === '' ? 'must not be empty' : problemOf(item);
  return problem === undefined ? [] : [fieldErrors.invalid(path, item, problem)];
}

function apiVersionProblem(text: string): string | undefined {
  return text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
}

function kindProblem(text: string): string | undefined {
  const problems = isDns1035Label(text.toLowerCase());
  if (problems.length === 0) return undefined;
  return `may have mixed case, but should otherwise match: ${problems.join(',')}`;
}

function validateMetadata(value: JsonObject, path: string): readonly FieldError[] {
  const metadata = getOwn(value, 'metadata');
  const node = loadCatalogue().definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  if (metadata === undefined || node === undefined) return [];
  const [error] = decodeBuiltIn(node, metadata).errors;
  return error === undefined ? [] : [fieldErrors.invalid(path, metadata, error.message)];
}
