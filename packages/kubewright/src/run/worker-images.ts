import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WorkerRuntime } from '@kubewright/cluster';
import type { ImageScript } from '../command-options.ts';
import { KubewrightError } from '../kubewright-error.ts';

/**
 * Runs containers of these images as workers. Throws for a file that is not there, before anything is started. Where the API
 * listens, once that is known, is in `server`; without it they have no account.
 */
export function workerImages(
  images: readonly ImageScript[],
  folder: string,
  server: () => string | undefined = () => undefined,
): WorkerRuntime {
  const scripts = images.map(({ name, file }) => {
    const path = resolve(folder, file);
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
    if (!isFile) throw new KubewrightError('File', `there is no file ${file} for the image ${name}`);
    return [name, pathToFileURL(path)] as const;
  });
  return new WorkerRuntime({ images: Object.fromEntries(scripts), server });
}
