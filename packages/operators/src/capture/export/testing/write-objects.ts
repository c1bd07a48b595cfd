import { canonicalJson, type JsonObject } from '@kubewright/kube';
import { indexOf } from '../export-index.ts';
import { findExport } from '../find-export.ts';
import { readExport } from '../read-export.ts';
import { writeExport } from '../write-export.ts';

export function configMap(name: string, data: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name }, data };
}

/** Objects as they come from a checkpoint. */
export async function* each(objects: readonly JsonObject[]): AsyncGenerator<JsonObject, void> {
  yield* objects;
}

/** Exports these objects. */
export async function writeObjects(at: string, objects: readonly JsonObject[]): Promise<void> {
  await writeExport(at, await indexOf('nss-mcp-1', each(objects)), each(objects));
}

/** What is exported there: each object verified, and in canonical JSON. */
export async function readObjects(at: string): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const object of readExport(at)) all.push(canonicalJson(object));
  return all;
}

/** Removes an export; resolves with how many files it had. */
export async function removeObjects(at: string): Promise<number> {
  const found = await findExport(at);
  for await (const _ of found?.remove() ?? []);
  return found?.files.length ?? 0;
}
