import { basename, dirname } from 'node:path/posix';
import { errorText, isJsonObject, type Json, type JsonObject, parseJson } from '@kubewright/kube';
import { readAhead } from '../../kit/read-ahead.ts';
import { OperatorError } from '../../operator-error.ts';
import type { LeftOutObjects } from '../api/manifest-checkpoint.ts';
import type { Wanted } from '../manifests/read-checkpoint.ts';
import { sha256 } from '../requests/names.ts';
import { isClaim } from './export-claim.ts';
import { AT_ONCE, type ExportFolder } from './export-folder.ts';
import { folderAt } from './folder-at.ts';
import { formatOf } from './format-of.ts';
import { type ExportIndex, INDEX, type IndexEntry, isExportedFile, parseIndex } from './export-index.ts';
import { readArchive } from './read-archive.ts';

/** Of files that are not in the index. */
const MOST_FOLDERS = 10_000;

/**
 * The objects of an exported checkpoint, in the order in which they were captured. Each is verified before it is
 * yielded. Ends with an `OperatorError` when a file is missing, is not what was exported, or is not in the index. Those
 * that are not wanted are not looked at.
 */
export function readExport(
  path: string,
  { signal, wanted }: { readonly signal?: AbortSignal; readonly wanted?: Wanted | undefined } = {},
): AsyncGenerator<JsonObject, void> {
  const format = formatOf(path);
  return format === 'folder'
    ? readFolder(folderAt(path, signal), wanted)
    : readFromArchive(path, format === 'tar.gz', wanted);
}

/** What the capture of an export did not take. */
export async function readLeftOut(path: string, signal?: AbortSignal): Promise<readonly LeftOutObjects[]> {
  const format = formatOf(path);
  const { leftOut = [] } =
    format === 'folder'
      ? await indexOfFolder(folderAt(path, signal))
      : await indexOfArchive(path, format === 'tar.gz');
  return leftOut;
}

/** Rejects where there is none. */
export async function indexOfFolder(folder: ExportFolder): Promise<ExportIndex> {
  return indexIn(await contentIn(folder, INDEX), folder.title(INDEX));
}

async function indexOfArchive(archive: string, isZipped: boolean): Promise<ExportIndex> {
  const title = `the first file of ${archive}`;
  for await (const { path, content } of readArchive(archive, isZipped))
    return indexIn(path === INDEX ? content : Buffer.of(), title);
  return indexIn(Buffer.of(), title);
}

async function* readFolder(
  folder: ExportFolder,
  wanted: Wanted | undefined,
): AsyncGenerator<JsonObject, void> {
  const { files } = await indexOfFolder(folder);
  const some = wanted === undefined ? files : files.filter((_, index) => wanted.has(index));
  yield* readAhead(some, AT_ONCE, async (entry) =>
    verified(entry, await contentIn(folder, entry.path), folder.title(entry.path)),
  );
  if (wanted !== undefined) return;
  const unknown = await unknownFile(folder, new Set([INDEX, ...files.map(({ path }) => path)]));
  if (unknown !== undefined) throw failed(`${folder.title(unknown)} is not in the index`);
}

/** A file that somebody has added. Other exports may be in folders below; and with a claim, one that is to replace this one. */
async function unknownFile(folder: ExportFolder, known: ReadonlySet<string>): Promise<string | undefined> {
  const first = new Map<string, string>();
  const exports = new Set<string>();
  let isClaimed = false;
  for await (const path of folder.list()) {
    isClaimed ||= isClaim(path);
    if (known.has(path) || isClaim(path)) continue;
    const inner = dirname(path);
    if (basename(path) === INDEX || isClaim(basename(path))) exports.add(inner);
    if (!first.has(inner) && first.size < MOST_FOLDERS) first.set(inner, path);
  }
  const isOther = (inner: string): boolean => [...exports].some((each) => `${inner}/`.startsWith(`${each}/`));
  const isNext = (path: string): boolean => isClaimed && isExportedFile(path);
  return [...first].find(([inner, path]) => !isOther(inner) && !isNext(path))?.[1];
}

async function* readFromArchive(
  archive: string,
  isZipped: boolean,
  wanted: Wanted | undefined,
): AsyncGenerator<JsonObject, void> {
  let [index, left] = [0, wanted?.size ?? Number.POSITIVE_INFINITY];
  for await (const { entry, title, content } of indexedFiles(archive, isZipped)) {
    if (wanted?.has(index++) === false) continue;
    yield verified(entry, content, title);
    if (--left === 0) return;
  }
}

type IndexedFile = { readonly entry: IndexEntry; readonly title: string; readonly content: Buffer };

/** The index is the first file, so that each one that follows is known. Ends with an error where one is missing. */
async function* indexedFiles(archive: string, isZipped: boolean): AsyncGenerator<IndexedFile, void> {
  let expected: readonly IndexEntry[] | undefined;
  let count = 0;
  for await (const { path, content } of readArchive(archive, isZipped)) {
    const title = `${path} in ${archive}`;
    if (expected === undefined) {
      expected = indexIn(path === INDEX ? content : Buffer.of(), `the first file of ${archive}`).files;
      continue;
    }
    const entry = expected[count++];
    if (entry?.path !== path) throw failed(`${title} is not the file that the index has there`);
    yield { entry, title, content };
  }
  if (expected === undefined) throw failed(`${archive} is empty: it is no export of a checkpoint`);
  if (count === expected.length) return;
  throw failed(`${archive} ends after ${count} of ${expected.length} objects`);
}

function indexIn(content: Buffer, title: string): ExportIndex {
  const index = parseIndex(parsed(content) ?? null);
  if (index === undefined) throw failed(`${title} is not the index of an export of a checkpoint`);
  return index;
}

function verified(entry: IndexEntry, content: Buffer, title: string): JsonObject {
  if (sha256(content) !== entry.sha256)
    throw failed(`${title} has changed since it was exported: its checksum is wrong`);
  const value = parsed(content);
  if (value !== undefined && isJsonObject(value)) return value;
  throw failed(`${title} holds no object`);
}

function parsed(content: Buffer): Json | undefined {
  try {
    return parseJson(content);
  } catch {
    return undefined;
  }
}

async function contentIn(folder: ExportFolder, path: string): Promise<Buffer> {
  try {
    return await folder.read(path);
  } catch (cause) {
    const message = `${folder.title(path)} cannot be read: ${errorText(cause)}`;
    throw cause instanceof OperatorError
      ? new OperatorError(cause.code, message, { cause })
      : failed(message, cause);
  }
}

function failed(message: string, cause?: unknown): OperatorError {
  return new OperatorError('Failed', message, { cause });
}
