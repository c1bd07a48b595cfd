import { getOwn, isJsonObject, type Json, type Stored } from '@kubewright/kube';

/** The field managers that own `spec.<path>` of an object, from its managedFields; an item of a list is `k:{…}`. */
export function managersOf(
  { metadata: { managedFields = [] } }: Pick<Stored, 'metadata'>,
  ...path: readonly string[]
): readonly (string | undefined)[] {
  return managedFields
    .filter(({ fieldsV1 }) => ['spec', ...path].reduce(fieldIn, fieldsV1) !== undefined)
    .map(({ manager }) => manager);
}

function fieldIn(fields: Json | undefined, name: string): Json | undefined {
  return isJsonObject(fields) ? getOwn(fields, name.startsWith('k:') ? name : `f:${name}`) : undefined;
}
