import { rename, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorText, systemRandom } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { findExport, type FoundExport } from './find-export.ts';
import { formatOf } from './format-of.ts';
import { isS3 } from './s3-place.ts';

/**
 * Writes a new export in the place of another one, which stays until the new one is complete: the new one is written beside
 * it, and takes its name then. Yields once for each file of the old one that is removed.
 *
 * A store of objects knows no other names for them: there the new one has folders of its own until its index, in one write, takes the place of the
 * old one. Elsewhere one that is not complete is removed first.
 */
export async function* replaceExport(
  at: string,
  found: FoundExport,
  write: (at: string, replaced?: FoundExport) => Promise<void>,
): AsyncGenerator<void, void> {
  if (!found.isAll) {
    const message = `${at} has other files beside the export, so that no other one can be written there; nothing was removed`;
    throw new OperatorError('Usage', message);
  }
  if (isS3(at)) {
    await write(at, found);
    return;
  }
  if (!found.isComplete) {
    yield* found.remove();
    await write(at);
    return;
  }
  const id = Math.floor(systemRandom() * 2 ** 32).toString(16);
  const beside = (what: string): string => join(dirname(at), `.${what}-${id}-${basename(at)}`);
  const next = beside('new');
  await write(next);
  if (formatOf(at) === 'folder') yield* switchFolders(at, next, beside('old'));
  else await rename(next, at);
}

async function* switchFolders(at: string, next: string, old: string): AsyncGenerator<void, void> {
  try {
    await rename(at, old);
    await rename(next, at);
  } catch (cause) {
    const message = `the new export is in ${next}, and could not be moved to ${at}: ${errorText(cause)}`;
    throw new OperatorError('Failed', message, { cause });
  }
  yield* (await findExport(old))?.remove() ?? [];
  await rmdir(old).catch(ignoreGone);
}

/** With its last file the folder may have gone. */
function ignoreGone(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
