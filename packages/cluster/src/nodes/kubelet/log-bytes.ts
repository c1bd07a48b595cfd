import type { LogLine } from '../runtime/container-runtime.ts';
import type { LogQuery } from './log-query.ts';

/** Lines that are there already go out together, up to so many bytes. */
const PIECE = 64 * 1024;

/** A log as kubelet sends it: what was said before `since` left out, cut off after `limitBytes`. */
export async function* logBytes(
  lines: AsyncIterable<LogLine>,
  { since = 0, limitBytes: limit, timestamps, follow }: LogQuery,
): AsyncGenerator<Uint8Array> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  let kept: Uint8Array[] = [];
  let size = 0;
  for await (const { time, text } of lines) {
    if (time < since) continue;
    const line = Buffer.from(timestamps ? `${nanoTime(time)} ${text}\n` : `${text}\n`).subarray(0, left);
    left -= line.length;
    size += line.length;
    kept.push(line);
    if (follow || size >= PIECE || left === 0) {
      yield Buffer.concat(kept);
      [kept, size] = [[], 0];
    }
    if (left === 0) return;
  }
  yield Buffer.concat(kept);
}

/** RFC 3339 with nine digits, as the logs of container runtimes have it. */
function nanoTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000000Z');
}
