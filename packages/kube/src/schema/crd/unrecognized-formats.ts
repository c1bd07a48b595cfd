import type { OpenApiSchema } from '../schema-node.ts';
import { formatOf } from '../structural/validate/validate-type.ts';
import { listParts, mapParts, partAt, textAt } from './schema-part.ts';

/** The values of `format` in a CRD's schema that an API server does not check for their type; each once. */
export function unrecognizedFormats(schema: OpenApiSchema): readonly string[] {
  const own = textAt(schema, 'format');
  const parts = [
    ...['items', 'not', 'additionalProperties'].map((key) => partAt(schema, '', key)),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((key) => listParts(schema, '', key)),
    ...mapParts(schema, '', 'properties'),
  ];
  const found = parts.flatMap((part) => (part === undefined ? [] : unrecognizedFormats(part.schema)));
  return [...new Set(own !== '' && formatOf(schema) === '' ? [own, ...found] : found)];
}
