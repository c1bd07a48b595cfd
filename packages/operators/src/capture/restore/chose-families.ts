import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';

const FIELDS = ['f:ipFamilies', 'f:ipFamilyPolicy'];

/**
 * Whether somebody chose the address families of a Service: more than one, or one that a field manager has. Those that the
 * server has assigned belong to nobody, and are those of every Service of its cluster.
 */
export function choseFamilies({ spec, metadata }: JsonObject): boolean {
  const policy = isJsonObject(spec) ? getOwn(spec, 'ipFamilyPolicy') : undefined;
  if (policy !== undefined && policy !== 'SingleStack') return true;
  const managed = isJsonObject(metadata) ? getOwn(metadata, 'managedFields') : undefined;
  return isJsonArray(managed) && managed.some(hasFamilies);
}

function hasFamilies(entry: Json): boolean {
  const fields = isJsonObject(entry) ? getOwn(entry, 'fieldsV1') : undefined;
  const spec = isJsonObject(fields) ? getOwn(fields, 'f:spec') : undefined;
  return isJsonObject(spec) && FIELDS.some((field) => getOwn(spec, field) !== undefined);
}
