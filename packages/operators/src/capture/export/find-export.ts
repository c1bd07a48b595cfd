import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { readAhead } from '../../kit/read-ahead.ts';
import { OperatorError } from '../../operator-error.ts';
import { isClaim, markUnfinished } from './export-claim.ts';
import { AT_ONCE, type ExportFolder } from './export-folder.ts';
import { INDEX, isExportedFile } from './export-index.ts';
import { folderAt } from './folder-at.ts';
import { formatOf } from './format-of.ts';
import { readArchive } from './read-archive.ts';

/** What is at the place of an export, complete or interrupted. */
export type FoundExport = {
  readonly files: readonly string[];
  /** Whether nothing else is there. */
  readonly isAll: boolean;
  /** Whether it has its index: what has none was interrupted, or is being written. */
  readonly isComplete: boolean;
  /** Yields once for each that is removed. */
  remove(): AsyncGenerator<void, void>;
};

/** Undefined where there is nothing at all. Rejects where something else is there: it is nobody's to remove. */
export async function findExport(at: string, signal?: AbortSignal): Promise<FoundExport | undefined> {
  const format = formatOf(at);
  if (format !== 'folder') return findArchive(at, format === 'tar.gz');
  const folder = folderAt(at, signal);
  const { files, isAll } = await filesOfExport(at, folder);
  const isComplete = files.includes(INDEX);
  return files.length === 0
    ? undefined
    : { files, isAll, isComplete, remove: () => removeFiles(folder, files) };
}

async function findArchive(at: string, isZipped: boolean): Promise<FoundExport | undefined> {
  if (!existsSync(at)) return undefined;
  for await (const { path } of readArchive(at, isZipped)) {
    if (path !== INDEX) break;
    const remove = async function* (): AsyncGenerator<void, void> {
      yield await rm(at);
    };
    return { files: [at], isAll: true, isComplete: true, remove };
  }
  throw noExport(at);
}

/** Of other exports below it, nothing. */
async function filesOfExport(
  at: string,
  folder: ExportFolder,
): Promise<{ readonly files: readonly string[]; readonly isAll: boolean }> {
  const files: string[] = [];
  let count = 0;
  for await (const path of folder.list()) {
    count++;
    if (rankOf(path) !== undefined) files.push(path);
  }
  // Names alone say nothing: the folder of a web site is called as that of a kind.
  const isAll = files.length === count;
  if (count === 0 || files.some((path) => rankOf(path) !== 1)) return { files, isAll };
  throw noExport(at);
}

/** Without its index it is no export, and nobody reads a part of it; the claim stays until nothing else is there. */
function rankOf(path: string): number | undefined {
  if (path === INDEX) return 0;
  if (isClaim(path)) return 2;
  return isExportedFile(path) ? 1 : undefined;
}

/** What an interrupted removal leaves has a claim, by which it is known. */
async function* removeFiles(folder: ExportFolder, found: readonly string[]): AsyncGenerator<void, void> {
  const files = found.some(isClaim) ? found : [...found, await markUnfinished(folder)];
  for (const rank of [0, 1, 2])
    yield* readAhead(
      files.filter((path) => rankOf(path) === rank),
      AT_ONCE,
      (path) => folder.remove(path),
    );
}

function noExport(at: string): OperatorError {
  return new OperatorError('Usage', `what is at ${at} is no export of a checkpoint; nothing was removed`);
}
