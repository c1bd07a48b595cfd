import { on } from 'node:events';
import type { Readable } from 'node:stream';
import { errorText, decodedValue, valueOfChunks, withDecodedValue } from '@kubewright/kube';
import { abortedError, localError } from '../errors/api-error.ts';

/** What a network transport needs of its stream to detect a truncated body. */
export type BodyStream = {
  readonly stream: Readable;
  /** True when the stream ended before the server had finished; read only after the end. */
  readonly wasCut: () => boolean;
  /** Cancels the stream. */
  readonly cancel: () => void;
  readonly signal: AbortSignal | undefined;
};

/**
 * A response body from a socket. Read it once: by iteration (a watch), or by {@link collect}, which avoids the stream's
 * iterator and so makes small responses cheap.
 */
export class ResponseBody implements AsyncIterable<Uint8Array> {
  readonly #source: BodyStream;

  constructor(source: BodyStream) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    const { stream, wasCut, cancel, signal } = this.#source;
    try {
      yield* chunksOf(stream);
      if ((wasCut() || !stream.readableEnded) && signal?.aborted !== true) throw this.#cutError();
    } catch (error) {
      if (signal?.aborted === true) return;
      throw connectionFailed(error);
    } finally {
      cancel();
    }
  }

  /**
   * The whole body. Rejects with `TooLarge` beyond `limit` bytes, and when the body is truncated. `onHead` is called with
   * the first chunk when it arrives, and must not throw.
   */
  collect(limit: number, onHead?: (head: Uint8Array) => void): Promise<Uint8Array> {
    const { stream, wasCut, cancel } = this.#source;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const cut = (): void => reject(this.#cutError());
      const end = (): void => {
        if (wasCut() || !stream.readableEnded) cut();
        else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
      };
      if (stream.destroyed) {
        end();
        return;
      }
      stream.on('data', (chunk: Buffer) => {
        if (size === 0) onHead?.(chunk);
        size += chunk.length;
        if (size <= limit) {
          chunks.push(chunk);
          return;
        }
        reject(tooLarge(limit));
        chunks.length = 0;
        cancel();
      });
      stream.on('end', end);
      stream.on('error', (error) => reject(connectionFailed(error)));
      stream.on('close', end);
      stream.resume();
    });
  }

  /** Ends the call without reading its body. */
  cancel(): void {
    this.#source.cancel();
  }

  #cutError(): Error {
    const { signal } = this.#source;
    if (signal?.aborted === true) return abortedError(signal);
    return localError('ConnectionFailed', 'the response was cut off');
  }
}

/** Buffers one chunk beside those of the stream, which is paused meanwhile. */
const AS_READ = { close: ['end', 'close'], highWaterMark: 1, lowWaterMark: 1 };

/**
 * The chunks of a stream until it ends or is closed, as fast as they are read. The iterator of the stream itself rejects
 * with `Premature close`, and drops the data, when an HTTP/2 response was complete before its reader began: on Node.js
 * 24.20 to 26.12 (nodejs/node#65677).
 */
async function* chunksOf(stream: Readable): AsyncGenerator<Uint8Array, void> {
  // No events come from a stream that is over.
  if (stream.errored !== null) throw stream.errored;
  if (stream.destroyed) return;
  const events = on(stream, 'data', AS_READ);
  stream.resume();
  for await (const [chunk] of events) yield chunk as Uint8Array;
}

/** The whole body of any transport, at most `limit` bytes. `onHead` gets the first chunk of bodies from a socket only. */
export async function collectBody(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  onHead?: (head: Uint8Array) => void,
): Promise<Uint8Array> {
  if (body instanceof ResponseBody) return body.collect(limit, onHead);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return wholeOf(chunks, size);
}

const NEWLINE = 0x0a;

/** One chunk, or all joined. A line end after a chunk that carries its value is left out: JSON ignores it. */
function wholeOf(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first, last] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const ends = chunks.length === 2 && last?.length === 1 && last[0] === NEWLINE;
  if (first !== undefined && ends && decodedValue(first) !== undefined) return first;
  const value = valueOfChunks(chunks);
  const whole = Buffer.concat(chunks, size);
  return value === undefined ? whole : withDecodedValue(whole, value);
}

/** Ends a call without reading its body. */
export async function discardBody(body: AsyncIterable<Uint8Array>): Promise<void> {
  if (body instanceof ResponseBody) {
    body.cancel();
    return;
  }
  try {
    // A generator that has not started runs no `finally` on return().
    const iterator = body[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.();
  } catch {
    // The call is over either way.
  }
}

/** Wraps an error of the socket; returns an `ApiError` as it is. `url` where there was no connection yet. */
export function connectionFailed(error: unknown, url?: string): Error {
  if (error instanceof Error && error.name === 'ApiError') return error;
  // For a host with several addresses Node reports an error for each, under one without a message.
  const text = error instanceof AggregateError ? error.errors.map(errorText).join(', ') : errorText(error);
  const what = url === undefined ? 'the connection failed' : `cannot connect to ${url}`;
  return localError('ConnectionFailed', `${what}: ${text}`, error);
}

function tooLarge(limit: number): Error {
  return localError('TooLarge', `the response is larger than ${limit} bytes`);
}
