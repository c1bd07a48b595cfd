import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canonicalJson, type JsonObject } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { sha256 } from '../requests/names.ts';
import { fileOf, identityOf } from './file-of.ts';

/** The file that lists the others. It is written last: a folder without it is no export. */
export const INDEX = 'checkpoint.json';
export const FORMAT = 'kubewright-export/1';

/** Captures hold Secrets: nobody else may read them. */
const [FOLDER, FILE] = [0o700, 0o600];

/** Writes one file of canonical JSON per object, and an index with their SHA-256. The folder must be empty or new. */
export async function writeExport(
  folder: string,
  checkpoint: string,
  objects: readonly JsonObject[],
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER });
  if ((await readdir(folder)).length > 0)
    throw new OperatorError('Usage', `the folder ${folder} is not empty; name a new one`);
  const files: { path: string; sha256: string }[] = [];
  for (const object of objects) {
    const path = fileOf(identityOf(object));
    const content = `${canonicalJson(object)}\n`;
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: FOLDER });
    // A file is never overwritten: two objects of one name would be one in the export.
    await writeFile(join(folder, path), content, { mode: FILE, flag: 'wx' });
    files.push({ path, sha256: sha256(content) });
  }
  const index = { format: FORMAT, checkpoint, files };
  await writeFile(join(folder, INDEX), `${canonicalJson(index)}\n`, { mode: FILE, flag: 'wx' });
}
