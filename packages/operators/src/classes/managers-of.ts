import { getOwn, isJsonObject, type Json, type Stored } from '@kubewright/kube';

type Managed = Pick<Stored, 'metadata'>;
type Claim = NonNullable<Managed['metadata']['managedFields']>[number];

/** The field managers that own `spec.<path>` of an object, from its managedFields; an item of a list is `k:{…}`. */
export function managersOf(object: Managed, ...path: readonly string[]): readonly (string | undefined)[] {
  return claimsOf(object, ...path).map(({ manager }) => manager);
}

/** Their entries in its managedFields. */
export function claimsOf(
  { metadata: { managedFields = [] } }: Managed,
  ...path: readonly string[]
): readonly Claim[] {
  return managedFields.filter(({ fieldsV1 }) => ['spec', ...path].reduce(fieldIn, fieldsV1) !== undefined);
}

function fieldIn(fields: Json | undefined, name: string): Json | undefined {
  return isJsonObject(fields) ? getOwn(fields, name.startsWith('k:') ? name : `f:${name}`) : undefined;
}
