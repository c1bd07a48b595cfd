import { canonicalJson, type JsonObject, systemRandom } from '@kubewright/kube';
import { readAhead } from '../../kit/read-ahead.ts';
import { OperatorError } from '../../operator-error.ts';
import { sha256 } from '../requests/names.ts';
import { claimFolder } from './export-claim.ts';
import { AT_ONCE, type ExportFolder } from './export-folder.ts';
import type { FoundExport } from './find-export.ts';
import { folderAt } from './folder-at.ts';
import { type ExportFile, formatOf } from './format-of.ts';
import { type ExportIndex, FORMAT, INDEX, type IndexEntry, isExportedFile } from './export-index.ts';
import { contentOf } from './file-of.ts';
import { indexOfFolder } from './read-export.ts';
import { writeArchive } from './write-archive.ts';

/** Captures hold Secrets: nobody else may read them. */
const MODE = 0o600;

type WriteOptions = {
  readonly signal?: AbortSignal;
  /** What is there, in a store of objects: it is removed when the new export is complete. */
  readonly replaced?: FoundExport;
};

/**
 * Writes one file of canonical JSON per object, and an index with their SHA-256: as an archive where `path` ends in
 * `.tar`, `.tar.gz` or `.tgz`, else into a folder, or under a prefix of a bucket (`s3://BUCKET/PREFIX`). Nothing that exists
 * is overwritten. A few objects at a time are held.
 */
export async function writeExport(
  path: string,
  index: ExportIndex,
  objects: AsyncIterable<JsonObject>,
  { signal, replaced }: WriteOptions = {},
): Promise<void> {
  const format = formatOf(path);
  const placed = replaced === undefined ? index : inNewFolders(index);
  const indexFile = { path: INDEX, content: `${canonicalJson({ format: FORMAT, ...placed })}\n` };
  const files = filesOf(placed.files, objects);
  if (format === 'folder') return writeFolder(path, folderAt(path, signal), { indexFile, files, replaced });
  return writeArchive(path, indexFile, files, { isZipped: format === 'tar.gz', mode: MODE });
}

/** The new files are beside the old ones: `ConfigMap.v1.core.3f9a12bc/web.json`. */
function inNewFolders(index: ExportIndex): ExportIndex {
  const id = Math.floor(systemRandom() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  const files = index.files.map(({ path, sha256: sum }) => ({
    path: path.replace('/', `.${id}/`),
    sha256: sum,
  }));
  return { ...index, files };
}

/** The files of the index, in its order. */
async function* filesOf(
  entries: readonly IndexEntry[],
  objects: AsyncIterable<JsonObject>,
): AsyncGenerator<ExportFile, void> {
  let count = 0;
  for await (const object of objects) {
    const content = contentOf(object);
    const entry = entries[count++];
    if (entry?.sha256 !== sha256(content))
      throw new OperatorError('Failed', 'the checkpoint has changed while it was exported; export it again');
    yield { path: entry.path, content };
  }
}

type Content = {
  readonly indexFile: ExportFile;
  readonly files: AsyncIterable<ExportFile>;
  readonly replaced: FoundExport | undefined;
};

/** The folder must be empty or new, but for what is replaced. The index is written last: a folder without it is no export. */
async function writeFolder(
  at: string,
  folder: ExportFolder,
  { indexFile, files, replaced }: Content,
): Promise<void> {
  const old = replaced?.files ?? [];
  const orRest = <T>(step: Promise<T>): Promise<T> =>
    step.catch((error: unknown) => {
      throw withRest(at, error, old.includes(INDEX));
    });
  const claim = await claimFolder(at, folder, old);
  const written = await orRest(writeFiles(folder, files));
  if (!(await orRest(claim.isHeld()))) throw await orRest(lostClaim(at, folder, written));
  await orRest(old.includes(INDEX) ? folder.write(indexFile) : createIndex(folder, indexFile));
  if (replaced !== undefined) await removeOthers(folder, written);
  await claim.release();
}

async function writeFiles(
  folder: ExportFolder,
  files: AsyncIterable<ExportFile>,
): Promise<readonly string[]> {
  const written: string[] = [];
  for await (const path of readAhead(files, AT_ONCE, (file) => writeFile(folder, file))) written.push(path);
  return written;
}

async function createIndex(folder: ExportFolder, index: ExportFile): Promise<void> {
  if (await folder.create(index)) return;
  throw new OperatorError('Failed', `${folder.title(INDEX)} is of another export`);
}

/** Whoever has replaced this export, while it was written, has no use for its files. */
async function lostClaim(at: string, folder: ExportFolder, written: readonly string[]): Promise<unknown> {
  const message = `the export to ${at} was removed or replaced while it was written`;
  const error = new OperatorError('Failed', message);
  if (!(await hasIndex(folder))) return withRest(at, error, false);
  const kept = new Set((await indexOfFolder(folder)).files.map(({ path }) => path));
  await removeAll(
    folder,
    written.filter((path) => !kept.has(path)),
  );
  return error;
}

/** What was there, and what one that had claimed the folder before has written since. */
async function removeOthers(folder: ExportFolder, written: readonly string[]): Promise<void> {
  const own = new Set(written);
  const others: string[] = [];
  for await (const path of folder.list()) if (isExportedFile(path) && !own.has(path)) others.push(path);
  await removeAll(folder, others);
}

async function hasIndex(folder: ExportFolder): Promise<boolean> {
  return folder.read(INDEX).then(
    () => true,
    () => false,
  );
}

async function writeFile(folder: ExportFolder, file: ExportFile): Promise<string> {
  await folder.write(file);
  return file.path;
}

async function removeAll(folder: ExportFolder, paths: readonly string[]): Promise<void> {
  for await (const _ of readAhead(paths, AT_ONCE, (path) => folder.remove(path)));
}

/** What was written may hold Secrets: who reads the error has to know. */
function withRest(at: string, error: unknown, isOldThere: boolean): unknown {
  if (!(error instanceof OperatorError)) return error;
  const rest = isOldThere
    ? 'the export that was there stays, and beside it what was written of the new one: --overwrite replaces both'
    : `what was written stays: "kubewright capture remove ${at}" removes it, --overwrite replaces it`;
  return new OperatorError(error.code, `${error.message}; ${rest}`, { cause: error });
}
