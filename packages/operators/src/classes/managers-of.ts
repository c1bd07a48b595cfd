import { getOwn, isJsonObject, type Stored } from '@kubewright/kube';

/** The field managers that own `spec.<field>` of an object, from its managedFields. */
export function managersOf(
  { metadata: { managedFields = [] } }: Stored,
  field: string,
): readonly (string | undefined)[] {
  return managedFields
    .filter(({ fieldsV1 }) => {
      const spec = isJsonObject(fieldsV1) ? getOwn(fieldsV1, 'f:spec') : undefined;
      return isJsonObject(spec) && getOwn(spec, `f:${field}`) !== undefined;
    })
    .map(({ manager }) => manager);
}
