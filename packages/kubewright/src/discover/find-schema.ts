import type { ResourceRef } from '@kubewright/client';
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type Transport,
} from '@kubewright/kube';
import { compileSchema, type SchemaNode } from '@kubewright/kube/schema';
import { KubewrightError } from '../kubewright-error.ts';
import { getJson } from './get-json.ts';

/** The schema of a kind in the server's `/openapi/v3`; undefined where it publishes none, or not to this user. */
export async function findSchema(
  { group, version, kind }: ResourceRef,
  transport: Transport,
): Promise<SchemaNode | undefined> {
  const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  try {
    const { paths } = await getJson('/openapi/v3', transport);
    const address = memberOf(memberOf(paths, path), 'serverRelativeURL');
    if (typeof address !== 'string') return undefined;
    const { components } = await getJson(address, transport);
    const schemas = memberOf(components, 'schemas');
    if (!isJsonObject(schemas)) return undefined;
    const own = Object.values(schemas).find((schema) => isOf(schema, { group, version, kind }));
    return isJsonObject(own) ? compileSchema(own, (name) => objectIn(schemas, name)) : undefined;
  } catch (error) {
    if (error instanceof KubewrightError) return undefined;
    throw error;
  }
}

function isOf(schema: Json, wanted: Readonly<Record<string, string>>): boolean {
  const kinds = memberOf(schema, 'x-kubernetes-group-version-kind');
  if (!isJsonArray(kinds)) return false;
  return kinds.some((gvk) => Object.entries(wanted).every(([name, value]) => memberOf(gvk, name) === value));
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? getOwn(value, name) : undefined;
}

function objectIn(schemas: JsonObject, name: string): JsonObject | undefined {
  const found = getOwn(schemas, name);
  return isJsonObject(found) ? found : undefined;
}
