import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ExportFolder } from './export-folder.ts';

/** Captures hold Secrets: nobody else may read them. */
const [FOLDER, FILE] = [0o700, 0o600];

/** A folder of the file system. A file is never overwritten: two objects of one name would be one in the export. */
export function localFolder(folder: string): ExportFolder {
  return {
    title: (path) => join(folder, path),
    read: (path) => readFile(join(folder, path)),
    async write({ path, content }) {
      await mkdir(dirname(join(folder, path)), { recursive: true, mode: FOLDER });
      await writeFile(join(folder, path), content, { mode: FILE, flag: 'wx' });
    },
    list: () => filesIn(folder),
  };
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
