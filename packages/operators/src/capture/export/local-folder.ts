import { lstat, mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readRegularFile } from '@kubewright/client';
import { OperatorError } from '../../operator-error.ts';
import type { ExportFolder } from './export-folder.ts';
import { type ExportFile, LARGEST_FILE } from './format-of.ts';

/** Captures hold Secrets: nobody else may read them. */
const [FOLDER, FILE] = [0o700, 0o600];

/** A folder of the file system. A file is never overwritten: two objects of one name would be one in the export. */
export function localFolder(folder: string): ExportFolder {
  const write = async ({ path, content }: ExportFile): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: FOLDER });
    await writeFile(join(folder, path), content, { mode: FILE, flag: 'wx' });
  };
  return {
    title: (path) => join(folder, path),
    read: (path) => readInside(folder, path),
    write,
    create: (file) => write(file).then(() => true, falseIf('EEXIST')),
    async remove(path) {
      await rm(join(folder, path), { force: true });
      await rmdir(dirname(join(folder, path))).catch(falseIf('ENOTEMPTY', 'ENOENT'));
    },
    list: () => filesIn(folder),
  };
}

function falseIf(...codes: readonly string[]): (error: unknown) => false {
  return (error) => {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  };
}

/** The folder may have been changed by anybody: a link may lead anywhere, and a pipe never ends. */
async function readInside(folder: string, path: string): Promise<Buffer> {
  const inner = dirname(path);
  if (inner !== '.' && !(await lstat(join(folder, inner))).isDirectory())
    throw new OperatorError('Failed', `${inner} is no folder`);
  return readRegularFile(join(folder, path), LARGEST_FILE);
}

async function* filesIn(folder: string): AsyncGenerator<string, void> {
  for (const entry of await entriesOf(folder)) {
    if (!entry.isDirectory()) yield entry.name;
    else for (const file of await readdir(join(folder, entry.name))) yield `${entry.name}/${file}`;
  }
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
