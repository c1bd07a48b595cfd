import { fieldErrors } from '../field-errors.ts';
import type { OpenApiSchema } from '../schema-node.ts';
import { type Errors, listParts, mapParts, type SchemaPart, partAt } from './schema-part.ts';

/** The structural schema beside a validation, and where it is; without schema if there is none. */
type Place = { readonly schema: OpenApiSchema | undefined; readonly path: string };

/** Every field in a junctor has to be specified outside of it too. */
export function validateCompleteness(schema: OpenApiSchema, path: string): Errors {
  return completeJunctors({ schema, path, key: '' }, { schema, path });
}

function completeJunctors(part: SchemaPart, place: Place): Errors {
  const not = partAt(part.schema, part.path, 'not');
  const junctors = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listParts(part.schema, part.path, key));
  return [...(not === undefined ? [] : [not]), ...junctors].flatMap((inner) => complete(inner, place));
}

function complete(part: SchemaPart, place: Place): Errors {
  const { schema } = place;
  if (schema === undefined) {
    return [fieldErrors.required(place.path, `because it is defined in ${part.path}`)];
  }
  const items = partAt(part.schema, part.path, 'items');
  const itemsPlace = { schema: partAt(schema, place.path, 'items')?.schema, path: `${place.path}.items` };
  const properties = mapParts(schema, place.path, 'properties');
  return [
    ...completeJunctors(part, place),
    ...(items === undefined ? [] : complete(items, itemsPlace)),
    ...mapParts(part.schema, part.path, 'properties').flatMap((inner) =>
      complete(inner, {
        schema: properties.find(({ key }) => key === inner.key)?.schema,
        path: `${place.path}.properties[${inner.key}]`,
      }),
    ),
  ];
}
