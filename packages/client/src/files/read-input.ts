import { constants, createReadStream, open as openCallback, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { devNull } from 'node:os';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { onAbort } from '@kubewright/kube';
import { abortedError, localError } from '../errors/api-error.ts';

/** Its descriptor is the socket's, which closes it; a handle would close it too. */
const openFile = promisify(openCallback);
const MIB = 2 ** 20;
const MOST_MIB = 64;

export type InputOptions = {
  /** Ends the wait for a pipe. */
  readonly signal?: AbortSignal | undefined;
  /** Default 64 MiB. */
  readonly limitBytes?: number;
  /** Only a file is read. A user may name a pipe, and a folder may hold one by accident. */
  readonly isFile?: boolean;
};

/**
 * What a user names as input: a file, a pipe (`<(…)`), or `-`, standard input. Rejects with an `ApiError` `InvalidConfig` for a
 * folder, a device or a socket, and for more than the limit; with `Aborted` where the signal is aborted meanwhile.
 */
export async function readInput(path: string, options: InputOptions = {}): Promise<Buffer> {
  const { signal } = options;
  throwIfAborted(signal);
  if (path === '-') return collect(process.stdin, options);
  const stats = await stat(path);
  checkKind(path, stats, options);
  return stats.isFIFO() ? collect(await openPipe(path), options) : collect(createReadStream(path), options);
}

function checkKind(path: string, stats: Stats, { isFile = false }: InputOptions): void {
  const problem = isFile && stats.isFIFO() ? 'a pipe' : problemOf(stats);
  if (problem !== undefined && path !== devNull)
    throw localError('InvalidConfig', `it is ${problem}, not a file`);
}

function problemOf(stats: Stats): string | undefined {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isSocket()) return 'a socket';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : undefined;
}

/** Neither waits for a writer nor reads in the thread pool, whose calls could not be ended: the socket is woken by the writer. */
async function openPipe(path: string): Promise<Readable> {
  const fd = await openFile(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedError(signal);
}

async function collect(
  source: Readable,
  { signal, limitBytes = MOST_MIB * MIB }: InputOptions,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const cancel = onAbort(signal, () => void source.destroy(abortedError(signal)));
  try {
    throwIfAborted(signal);
    for await (const part of source as AsyncIterable<Uint8Array>) {
      size += part.length;
      if (size > limitBytes)
        throw localError('TooLarge', `it is larger than ${Math.floor(limitBytes / MIB)} MiB`);
      parts.push(part);
    }
  } finally {
    cancel();
    source.destroy();
  }
  throwIfAborted(signal);
  return Buffer.concat(parts, size);
}

/**
 * A regular file of a folder whose content may be anything: no link is followed, and nothing is waited for. Rejects as
 * {@link readInput} does.
 */
export async function readRegularFile(path: string, limitBytes: number): Promise<Buffer> {
  // Where the system lacks one of them it is undefined, and so 0.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    explainLink,
  );
  try {
    const stats = await file.stat();
    if (!stats.isFile())
      throw localError('InvalidConfig', `it is ${problemOf(stats) ?? 'a pipe'}, not a file`);
    return await upTo(file, limitBytes);
  } finally {
    await file.close();
  }
}

/** The size of a file says little: files of /proc have none, and others grow. */
async function upTo(file: FileHandle, limitBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > limitBytes)
      throw localError('TooLarge', `it is larger than ${Math.floor(limitBytes / MIB)} MiB`);
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}

function explainLink(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
  throw localError('InvalidConfig', 'it is a link, not a file', error);
}
