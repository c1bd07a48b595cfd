import { canonicalJson, type JsonObject } from '@kubewright/kube';
import { readAhead } from '../../kit/read-ahead.ts';
import { OperatorError } from '../../operator-error.ts';
import { sha256 } from '../requests/names.ts';
import { claimFolder } from './export-claim.ts';
import { AT_ONCE, type ExportFolder } from './export-folder.ts';
import { folderAt } from './folder-at.ts';
import { type ExportFile, formatOf } from './format-of.ts';
import { type ExportIndex, FORMAT, INDEX, type IndexEntry } from './export-index.ts';
import { contentOf } from './file-of.ts';
import { writeArchive } from './write-archive.ts';

/** Captures hold Secrets: nobody else may read them. */
const MODE = 0o600;

/**
 * Writes one file of canonical JSON per object, and an index with their SHA-256: as an archive where `path` ends in
 * `.tar`, `.tar.gz` or `.tgz`, else into a folder, or under a prefix of a bucket (`s3://BUCKET/PREFIX`). Nothing that exists
 * is overwritten. A few objects at a time are held.
 */
export async function writeExport(
  path: string,
  index: ExportIndex,
  objects: AsyncIterable<JsonObject>,
  signal?: AbortSignal,
): Promise<void> {
  const format = formatOf(path);
  const indexFile = { path: INDEX, content: `${canonicalJson({ format: FORMAT, ...index })}\n` };
  const files = filesOf(index.files, objects);
  if (format === 'folder') return writeFolder(path, folderAt(path, signal), indexFile, files);
  return writeArchive(path, indexFile, files, { isZipped: format === 'tar.gz', mode: MODE });
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

/** The folder must be empty or new. Its index is written last: a folder without it is no export. */
async function writeFolder(
  path: string,
  folder: ExportFolder,
  index: ExportFile,
  files: AsyncIterable<ExportFile>,
): Promise<void> {
  const claim = await claimFolder(path, folder);
  try {
    for await (const _ of readAhead(files, AT_ONCE, (file) => folder.write(file)));
    await claim.check();
    if (!(await folder.create(index)))
      throw new OperatorError('Failed', `${folder.title(index.path)} is of another export`);
  } catch (error) {
    throw withRest(path, error);
  }
  await claim.release();
}

/** What was written holds Secrets: who reads the error has to know. */
function withRest(path: string, error: unknown): unknown {
  if (!(error instanceof OperatorError)) return error;
  const rest = `what was written stays: "kubewright capture remove ${path}" removes it, --overwrite replaces it`;
  return new OperatorError(error.code, `${error.message}; ${rest}`, { cause: error });
}
