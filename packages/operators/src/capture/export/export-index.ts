import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import type { LeftOutObjects } from '../api/manifest-checkpoint.ts';
import { sha256 } from '../requests/names.ts';
import { textIn } from '../restore/text-in.ts';
import { contentOf, fileOf, identityOf } from './file-of.ts';

/** The file that lists the others. */
export const INDEX = 'checkpoint.json';
export const FORMAT = 'kubewright-export/1';

/** One file of an export, and the SHA-256 of its content. */
export type IndexEntry = { readonly path: string; readonly sha256: string };

/** The files of an export, in the order in which their objects were captured. */
export type ExportIndex = {
  readonly checkpoint: string;
  readonly files: readonly IndexEntry[];
  /** What the capture did not take. */
  readonly leftOut?: readonly LeftOutObjects[];
};

/** The index of an export of these objects, of which none is kept. */
export async function indexOf(
  checkpoint: string,
  objects: AsyncIterable<JsonObject>,
  leftOut: readonly LeftOutObjects[] = [],
): Promise<ExportIndex> {
  const files: IndexEntry[] = [];
  for await (const object of objects)
    files.push({ path: fileOf(identityOf(object)), sha256: sha256(contentOf(object)) });
  return { checkpoint, files, ...(leftOut.length > 0 && { leftOut }) };
}

/** Undefined where anything is not as an export writes it. */
export function parseIndex(index: Json): ExportIndex | undefined {
  if (!isJsonObject(index) || index['format'] !== FORMAT || !isJsonArray(index['files'])) return undefined;
  const files = index['files'].flatMap((file) => {
    const { path, sha256: sum } = isJsonObject(file) ? file : ({} as JsonObject);
    return isPath(path) && typeof sum === 'string' ? [{ path, sha256: sum }] : [];
  });
  const { checkpoint } = index;
  if (files.length !== index['files'].length || typeof checkpoint !== 'string') return undefined;
  return { checkpoint, files, leftOut: leftOutIn(index['leftOut']) };
}

/** Files of before have none. */
function leftOutIn(value: Json | undefined): readonly LeftOutObjects[] {
  return isJsonArray(value) ? value.flatMap(leftOutEntry) : [];
}

function leftOutEntry(entry: Json): readonly LeftOutObjects[] {
  if (!isJsonObject(entry)) return [];
  const { count, names } = entry;
  const [apiVersion, kind, reason] = ['apiVersion', 'kind', 'reason'].map((key) => textIn(entry, key));
  if (!apiVersion || !kind || !reason || typeof count !== 'number' || !isJsonArray(names)) return [];
  return [{ apiVersion, kind, reason, count, names: names.filter((name) => typeof name === 'string') }];
}

/** Whether a file may be of an export: of a kind, a version and a group. */
export function isExportedFile(path: string): boolean {
  return isPath(path) && /^[^/.]+\.[^/.]+\.[^/]+\//.test(path);
}

/** Whether it is of a Secret, encrypted or not. */
export function isSecretFile(path: string): boolean {
  return /^Secret\.v1\.core[./]/.test(path);
}

/** One folder and one file in it, never a way out of the export. */
function isPath(path: Json | undefined): path is string {
  return typeof path === 'string' && /^[^./\\][^/\\]*\/[^./\\][^/\\]*\.json$/.test(path);
}
