import { canonicalJson, systemClock, systemRandom } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { INDEX, isExportedFile } from './export-index.ts';
import type { ExportFolder } from './export-folder.ts';

/** Says that an export is being written. It goes at the end; what is left of an interrupted one has it. */
const CLAIM = 'export-claim.json';
/** Beside it, a file of each that exports there now. */
const CLAIMS = /^export-claim(?:-[0-9a-f]{12})?\.json$/;

export function isClaim(path: string): boolean {
  return CLAIMS.test(path);
}

/** Leaves a claim that is nobody's, and returns its path. */
export async function markUnfinished(folder: ExportFolder): Promise<string> {
  const began = new Date(systemClock.now()).toISOString();
  await folder.create({ path: CLAIM, content: `${canonicalJson({ began })}\n` });
  return CLAIM;
}

/** Keeps other exports out of a folder while it is written. */
export type ExportClaim = {
  /** False when the export was removed, or replaced, while it was written. */
  isHeld(): Promise<boolean>;
  /** The export is complete. */
  release(): Promise<void>;
};

/**
 * Claims a folder that is empty. Where a store creates an object only once, one of several at a time gets it. Where it does not,
 * each writes a file of its own and then lists all: who sees another one gives up, so that two never go on.
 *
 * With `old` files, it has an export that is to be replaced, complete or not. Who is still writing it does not finish: its claim goes.
 */
export async function claimFolder(
  at: string,
  folder: ExportFolder,
  old: readonly string[] = [],
): Promise<ExportClaim> {
  const before = old.filter(isClaim);
  const isReplaced = (path: string): boolean =>
    old.length > 0 && (path === INDEX || isExportedFile(path) || before.includes(path));
  await checkEmpty(at, folder, isReplaced);
  for (const path of before) await folder.remove(path);
  const id = Math.floor(systemRandom() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
  const began = new Date(systemClock.now()).toISOString();
  const content = `${canonicalJson({ began, id })}\n`;
  const own = `export-claim-${id}.json`;
  if (!(await folder.create({ path: CLAIM, content }))) throw underWay(at);
  await folder.write({ path: own, content });
  try {
    await checkEmpty(at, folder, (path) => path === CLAIM || path === own || isReplaced(path));
  } catch (error) {
    await folder.remove(own);
    if ((await contentOf(folder, CLAIM)) === content) await folder.remove(CLAIM);
    throw error;
  }
  return {
    isHeld: async () => (await contentOf(folder, own)) === content,
    async release() {
      for (const path of [own, CLAIM]) await folder.remove(path).catch(ignoreForbidden);
    },
  };
}

async function checkEmpty(
  at: string,
  folder: ExportFolder,
  isKnown: (path: string) => boolean,
): Promise<void> {
  const files: string[] = [];
  for await (const path of folder.list()) {
    if (isKnown(path)) continue;
    files.push(path);
    // The index is among the first, or there are many files.
    if (files.length > 1000) break;
  }
  if (files.length === 0) return;
  if (files.some(isClaim) && !files.includes(INDEX)) throw underWay(at);
  throw new OperatorError(
    'Usage',
    `the folder ${at} is not empty; name a new one, or replace an export with --overwrite`,
  );
}

function underWay(at: string): OperatorError {
  const message = `an export to ${at} is under way, or was interrupted; wait for it, replace it with --overwrite, or remove it with "kubewright capture remove"`;
  return new OperatorError('AlreadyExists', message);
}

async function contentOf(folder: ExportFolder, path: string): Promise<string | undefined> {
  try {
    return (await folder.read(path)).toString();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  if (error instanceof OperatorError) return error.code === 'NotFound';
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Who may only add objects leaves it: readers know it. */
function ignoreForbidden(error: unknown): void {
  if (!(error instanceof OperatorError) || error.code !== 'Forbidden') throw error;
}
