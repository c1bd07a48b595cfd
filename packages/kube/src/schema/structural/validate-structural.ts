import type { Json } from '../../json/json.ts';
import type { FieldError } from '../field-error.ts';
import { fieldErrors } from '../field-errors.ts';
import type { OpenApiSchema, SchemaNode } from '../schema-node.ts';
import { mentions } from './property-of.ts';
import { fieldAt } from './validate/result.ts';
import { validateEmbedded } from './validate/validate-embedded.ts';
import { validateLists } from './validate/validate-lists.ts';
import { validateSchema } from './validate/validate-schema.ts';

/**
 * Validates a custom resource (or a part of one) against its structural schema: OpenAPI, embedded resources, then sets
 * and map lists, each error as a kube-apiserver words it. With `old`, what did not change is not held against the new
 * value. CEL rules come after this and are not checked here; see {@link uncheckedRules}.
 *
 * `path` is where the value is in its object, empty for the whole: `status` when only the status is written.
 */
export function validateStructural(
  node: SchemaNode,
  value: Json,
  old?: Json,
  path = '',
): readonly FieldError[] {
  const found = validateValue(node.source, value, path, old);
  const embedded = mentions(node, 'x-kubernetes-embedded-resource')
    ? validateEmbedded(node, value, path)
    : [];
  return [...found, ...embedded, ...validateListTypes(node, value, old, path)];
}

/** Lists that had duplicates before may have them. */
function validateListTypes(
  node: SchemaNode,
  value: Json,
  old: Json | undefined,
  path: string,
): readonly FieldError[] {
  if (!mentions(node, 'x-kubernetes-list-type')) return [];
  const errors = validateLists(node, value, path);
  return errors.length > 0 && old !== undefined && validateLists(node, old, path).length > 0 ? [] : errors;
}

/** The OpenAPI part of {@link validateStructural} alone. */
export function validateValue(
  schema: OpenApiSchema,
  value: Json,
  path: string,
  old?: Json,
): readonly FieldError[] {
  const correlation = old === undefined ? undefined : { value, old, schema };
  const { errors } = validateSchema(schema, { value, path: '', correlation });
  return [...errors.values()].map((error) => below(path, error));
}

function below(path: string, error: FieldError): FieldError {
  if (path === '') return error;
  return { ...error, field: error.field === fieldAt('') ? path : `${path}.${error.field}` };
}

const blocking: ReadonlySet<FieldError['type']> = new Set([
  'NotSupported',
  'Required',
  'TooLong',
  'TooMany',
  'TypeInvalid',
]);

/**
 * The one error in place of all `x-kubernetes-validations` of a resource when `errors` keep them from being evaluated;
 * undefined if they can be. Only a schema with rules needs it.
 */
export function uncheckedRules(errors: readonly FieldError[]): FieldError | undefined {
  if (!errors.some(({ type }) => blocking.has(type))) return undefined;
  return fieldErrors.invalid(
    '<nil>',
    null,
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  );
}
