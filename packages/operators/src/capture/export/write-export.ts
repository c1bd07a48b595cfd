import { canonicalJson, type JsonObject } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { sha256 } from '../requests/names.ts';
import type { ExportFolder } from './export-folder.ts';
import { folderAt } from './folder-at.ts';
import { type ExportFile, formatOf } from './format-of.ts';
import { type ExportIndex, FORMAT, INDEX, type IndexEntry } from './export-index.ts';
import { contentOf } from './file-of.ts';
import { writeArchive } from './write-archive.ts';

/** Captures hold Secrets: nobody else may read them. */
const MODE = 0o600;

/**
 * Writes one file of canonical JSON per object, and an index with their SHA-256: as an archive where `path` ends in
 * `.tar`, `.tar.gz` or `.tgz`, else into a folder, or under a prefix of a bucket (`s3://BUCKET/PREFIX`). Nothing that exists is overwritten. One object at a time is held.
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
  for await (const _ of folder.list())
    throw new OperatorError('Usage', `the folder ${path} is not empty; name a new one`);
  for await (const file of files) await folder.write(file);
  await folder.write(index);
}
