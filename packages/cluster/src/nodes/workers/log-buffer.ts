import { onAbort } from '@kubewright/kube';
import type { LogLine, LogOptions } from '../runtime/container-runtime.ts';
import { latestLines } from '../runtime/latest-lines.ts';

/** Bounds of what is kept of a container's output. */
const MOST_LINES = 10_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Longer lines are cut in pieces, as container runtimes do. */
const LONGEST_LINE = 16 * 1024;

type Stream = LogLine['stream'];

/** What a container printed: the latest of it, for readers who come and for those who follow. */
export class LogBuffer {
  readonly #now: () => number;
  #lines: LogLine[] = [];
  #characters = 0;
  /** Lines that have been dropped from the beginning. */
  #dropped = 0;
  readonly #unfinished: Record<Stream, string> = { stdout: '', stderr: '' };
  readonly #readers = new Set<() => void>();
  #ended = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  write(stream: Stream, text: string): void {
    const parts = (this.#unfinished[stream] + text).split('\n');
    this.#unfinished[stream] = parts.pop() ?? '';
    for (const part of parts) this.#add(stream, part);
    const rest = this.#unfinished[stream];
    if (rest.length < LONGEST_LINE) return;
    this.#unfinished[stream] = '';
    this.#add(stream, rest);
  }

  /** Nothing will come any more. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = this.#unfinished[stream];
      this.#unfinished[stream] = '';
      if (rest !== '') this.#add(stream, rest);
    }
    this.#ended = true;
    this.#wake();
  }

  async *read({ follow, tail, signal }: LogOptions = {}): AsyncGenerator<LogLine> {
    let next = this.#dropped + this.#lines.length;
    yield* latestLines(this.#lines, tail);
    if (follow !== true) return;
    for (;;) {
      // Who reads too slowly misses what was dropped meanwhile.
      next = Math.max(next, this.#dropped);
      const line = this.#lines[next - this.#dropped];
      if (line !== undefined) {
        next += 1;
        yield line;
      } else if (this.#ended || signal?.aborted === true) {
        return;
      } else {
        await this.#news(signal);
      }
    }
  }

  /** Resolves when there is something new, or when the reader is gone. */
  #news(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        forget();
        this.#readers.delete(done);
        resolve();
      };
      this.#readers.add(done);
      const forget = onAbort(signal, done);
    });
  }

  #add(stream: Stream, text: string): void {
    for (let at = 0; at === 0 || at < text.length; at += LONGEST_LINE) {
      const line = { time: this.#now(), stream, text: text.slice(at, at + LONGEST_LINE) };
      this.#lines.push(line);
      this.#characters += line.text.length;
    }
    if (this.#lines.length > MOST_LINES || this.#characters > MOST_CHARACTERS) this.#drop();
    this.#wake();
  }

  /** Down to half, so that it is rarely done. */
  #drop(): void {
    const half = Math.ceil(this.#lines.length / 2);
    for (const { text } of this.#lines.slice(0, half)) this.#characters -= text.length;
    this.#lines = this.#lines.slice(half);
    this.#dropped += half;
  }

  #wake(): void {
    for (const reader of this.#readers) reader();
  }
}
