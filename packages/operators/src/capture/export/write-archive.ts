import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { createTarPacker, type TarPackController } from 'modern-tar';
import { OperatorError } from '../../operator-error.ts';
import type { ExportFile } from './format-of.ts';

type ArchiveOptions = {
  readonly isZipped: boolean;
  /** The permissions of the archive, and of the files in it. */
  readonly mode: number;
};

/** Archives of equal content are equal. */
const EPOCH = new Date(0);

/** Writes a new archive, whose first file is the index. One that could not be finished is removed. */
export async function writeArchive(
  path: string,
  index: ExportFile,
  files: AsyncIterable<ExportFile>,
  { isZipped, mode }: ArchiveOptions,
): Promise<void> {
  await createFile(path, mode);
  const { readable, controller } = createTarPacker();
  const written = pipeline(
    Readable.fromWeb(readable as Parameters<typeof Readable.fromWeb>[0]),
    isZipped ? createGzip() : new PassThrough(),
    createWriteStream(path, { flags: 'r+' }),
  );
  try {
    await Promise.all([written, addAll(controller, index, files, mode)]);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function createFile(path: string, mode: number): Promise<void> {
  try {
    await (await open(path, 'wx', mode)).close();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new OperatorError('Usage', `the file ${path} exists; name a new one`, { cause });
  }
}

async function addAll(
  archive: TarPackController,
  index: ExportFile,
  files: AsyncIterable<ExportFile>,
  mode: number,
): Promise<void> {
  try {
    await add(archive, index, mode);
    for await (const file of files) await add(archive, file, mode);
    archive.finalize();
  } catch (error) {
    archive.error(error);
    throw error;
  }
}

async function add(archive: TarPackController, { path, content }: ExportFile, mode: number): Promise<void> {
  const body = Buffer.from(content);
  const writer = archive.add({ name: path, size: body.length, mode, mtime: EPOCH, type: 'file' }).getWriter();
  await writer.write(body);
  await writer.close();
}
