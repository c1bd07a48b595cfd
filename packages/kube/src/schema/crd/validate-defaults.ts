import { jsonEqual } from '../../json/json-equal.ts';
import { getOwn } from '../../json/json.ts';
import { compileSchema } from '../compile-schema.ts';
import { fieldErrors } from '../field-errors.ts';
import type { OpenApiSchema } from '../schema-node.ts';
import { pruneStructural } from '../structural/prune-structural.ts';
import { validateValue } from '../structural/validate-structural.ts';
import { validateEmbedded } from '../structural/validate/validate-embedded.ts';
import { type Errors, isTrueAt, mapParts, partAt } from './schema-part.ts';

/** Checks that every default fits its own schema and holds nothing that would be pruned. */
export function validateDefaults(schema: OpenApiSchema, path: string, isRoot: boolean): Errors {
  const items = partAt(schema, path, 'items');
  return [
    ...validateDefault(schema, `${path}.default`, isRoot),
    // Not inside additionalProperties: an API server does not check there.
    ...(items === undefined ? [] : validateDefaults(items.schema, items.path, false)),
    ...mapParts(schema, path, 'properties').flatMap((part) =>
      validateDefaults(part.schema, part.path, false),
    ),
  ];
}

function validateDefault(schema: OpenApiSchema, path: string, isRoot: boolean): Errors {
  const value = getOwn(schema, 'default');
  if (value === undefined || value === null) return [];
  const resourceRoot = isRoot || isTrueAt(schema, 'x-kubernetes-embedded-resource');
  const node = compileSchema(resourceRoot ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema);
  const pruned = pruneStructural(node, value, { resourceRoot }).value;
  const unknown = jsonEqual(pruned, value)
    ? []
    : [fieldErrors.invalid(path, value, 'must not have unknown fields')];
  const embedded = validateEmbedded(node, value, path);
  return [...unknown, ...(embedded.length > 0 ? embedded : validateValue(node.source, value, path))];
}
