import { chmod, link, mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorText, type JsonObject } from '@kubewright/kube';
import { stringify } from 'yaml';
import { KubewrightError } from '../kubewright-error.ts';

/** Where a cluster in this terminal leaves its kubeconfig, in the current folder. */
export const DEFAULT_KUBECONFIG: string = join('.kubewright', 'kubeconfig');

/** The kubeconfig of a server of this process. */
export type KubeconfigFile = {
  readonly path: string;
  /** Removes the file, if it is still this process's. */
  remove(): Promise<void>;
};

/** Who wrote a file: a process that runs, one that has ended, or somebody else. */
type Writer = { readonly pid: number } | 'ended' | 'unknown';

const HEADER = /^# kubewright: process (\d+), started (\d+)/;

/**
 * Writes a kubeconfig that only its owner can read; a reader never sees half of it. What another process that runs has
 * written is left alone: without `wanted` the next free name is taken, with it that is an error.
 */
export async function writeKubeconfig(
  wanted: string | undefined,
  config: JsonObject,
  cwd: string,
): Promise<KubeconfigFile> {
  const first = resolve(cwd, wanted ?? DEFAULT_KUBECONFIG);
  const draft = `${first}.${process.pid}`;
  try {
    const folder = await mkdir(dirname(first), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${header()}\n${stringify(config)}`, { mode: 0o600 });
    // The mode above counts only for a file that was not there.
    await chmod(draft, 0o600);
    const path = wanted === undefined ? await placeNear(draft, first) : await placeAt(draft, first);
    const isOurs = wanted === undefined || folder !== undefined;
    return { path, remove: () => remove(path, isOurs) };
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    if (error instanceof KubewrightError) throw error;
    const message = `cannot write the kubeconfig ${first}: ${errorText(error)}; choose another place with --kubeconfig-out`;
    throw new KubewrightError('File', message, { cause: error });
  }
}

/** A process is known by its start, too: its number may be taken again, in a container always. */
function header(): string {
  const started = Math.round(performance.timeOrigin);
  return `# kubewright: process ${process.pid}, started ${started}; this file is removed when it ends`;
}

async function placeAt(draft: string, path: string): Promise<string> {
  const writer = await place(draft, path, (found) => found === 'ended');
  if (writer === undefined) return path;
  const whose =
    typeof writer === 'string'
      ? 'was not written by kubewright'
      : `belongs to process ${writer.pid}, which runs`;
  throw new KubewrightError('File', `${path} ${whose}; choose another place with --kubeconfig-out`);
}

/** `kubeconfig`, `kubeconfig-2` and so on: the first that no process that runs has written. */
async function placeNear(draft: string, first: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = number === 1 ? first : `${first}-${number}`;
    if ((await place(draft, path, (found) => typeof found === 'string')) === undefined) return path;
  }
}

/** Moves the draft to `path`; returns who wrote the file there, where that must not be replaced. */
async function place(
  draft: string,
  path: string,
  mayReplace: (writer: Writer) => boolean,
): Promise<Writer | undefined> {
  const writer = await writerOf(path);
  if (writer !== undefined) {
    if (!mayReplace(writer)) return writer;
    await rename(draft, path);
    return undefined;
  }
  try {
    // Fails where another process was quicker, which a rename does not.
    await link(draft, path);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return place(draft, path, mayReplace);
    throw error;
  }
  await rm(draft);
  return undefined;
}

async function writerOf(path: string): Promise<Writer | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  if (text === '') return 'ended';
  const [, pid, started] = HEADER.exec(text) ?? [];
  if (pid === undefined) return 'unknown';
  const isThis = Number(pid) === process.pid;
  const runs = isThis ? Number(started) === Math.round(performance.timeOrigin) : isRunning(Number(pid));
  return runs ? { pid: Number(pid) } : 'ended';
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

async function remove(path: string, isFolderOurs: boolean): Promise<void> {
  const text = await readIfThere(path);
  if (text?.startsWith(header()) === true) await rm(path, { force: true });
  // The folder goes with the last file in it, whichever process made the folder.
  if (isFolderOurs) await rmdir(dirname(path)).catch(() => undefined);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
