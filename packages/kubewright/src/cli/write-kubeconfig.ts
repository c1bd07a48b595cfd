import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorText, type JsonObject } from '@kubewright/kube';
import { stringify } from 'yaml';
import { KubewrightError } from '../kubewright-error.ts';

/** Writes a kubeconfig that only its owner can read. A reader never sees half of it. */
export async function writeKubeconfig(path: string, config: JsonObject): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(draft, stringify(config), { mode: 0o600 });
    // The mode above counts only for a file that was not there.
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    const message = `cannot write the kubeconfig ${path}: ${errorText(error)}; choose another place with --kubeconfig-out`;
    throw new KubewrightError('File', message, { cause: error });
  }
}
