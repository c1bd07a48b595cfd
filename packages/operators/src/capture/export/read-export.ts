import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  errorText,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
} from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { sha256 } from '../requests/names.ts';
import { FORMAT, INDEX } from './write-export.ts';

type Entry = { readonly path: string; readonly sha256: string };

/**
 * The objects of an exported checkpoint, in the order in which they were captured. Rejects when a file is missing, is
 * not what was exported, or is not in the index: there is no partial result.
 */
export async function readExport(folder: string): Promise<readonly JsonObject[]> {
  const index = await readJsonFile(folder, INDEX);
  const entries = entriesIn(index.value);
  if (entries === undefined)
    throw new OperatorError('Failed', `${join(folder, INDEX)} is not the index of an export of a checkpoint`);
  const objects: JsonObject[] = [];
  for (const entry of entries) objects.push(await readObject(folder, entry));
  const known = new Set([INDEX, ...entries.map(({ path }) => path)]);
  const other = (await filesIn(folder)).find((path) => !known.has(path));
  if (other === undefined) return objects;
  throw new OperatorError('Failed', `${join(folder, other)} is not in the index`);
}

async function readObject(folder: string, entry: Entry): Promise<JsonObject> {
  const { text, value } = await readJsonFile(folder, entry.path);
  const path = join(folder, entry.path);
  if (sha256(text) !== entry.sha256)
    throw new OperatorError('Failed', `${path} has changed since it was exported: its checksum is wrong`);
  if (isJsonObject(value)) return value;
  throw new OperatorError('Failed', `${path} holds no object`);
}

async function readJsonFile(
  folder: string,
  path: string,
): Promise<{ readonly text: string; readonly value: Json }> {
  const file = join(folder, path);
  try {
    const text = await readFile(file, 'utf8');
    return { text, value: parseJson(text) };
  } catch (cause) {
    throw new OperatorError('Failed', `${file} cannot be read: ${errorText(cause)}`, { cause });
  }
}

/** Undefined where anything is not as an export writes it. */
function entriesIn(index: Json): readonly Entry[] | undefined {
  if (!isJsonObject(index) || index['format'] !== FORMAT || !isJsonArray(index['files'])) return undefined;
  const files = index['files'].flatMap((file) => {
    const { path, sha256: sum } = isJsonObject(file) ? file : ({} as JsonObject);
    return isPath(path) && typeof sum === 'string' ? [{ path, sha256: sum }] : [];
  });
  return files.length === index['files'].length ? files : undefined;
}

/** One folder and one file in it, never a way out of the export. */
function isPath(path: Json | undefined): path is string {
  return typeof path === 'string' && /^[^./\\][^/\\]*\/[^./\\][^/\\]*\.json$/.test(path);
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const inner = entries
    .filter((entry) => entry.isDirectory())
    .map(async ({ name }) => (await readdir(join(folder, name))).map((file) => `${name}/${file}`));
  const top = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  return [...top, ...(await Promise.all(inner)).flat()];
}
