import { joinedFrom } from '@kubewright/kube';

/** Frames that are read together become one chunk of up to this many bytes. */
const CHUNK = 64 * 1024;

/**
 * What one watcher has still to read. Frames are shared between watchers, so a queue is an array of references; it
 * is bounded all the same: a watcher that falls behind by `limit` frames is cut off and has to come back.
 */
export class WatchQueue implements AsyncIterableIterator<Uint8Array> {
  readonly #limit: number;
  readonly #stop: () => void;
  #initial: Iterator<Uint8Array> | undefined;
  #frames: Uint8Array[] = [];
  #read = 0;
  #ended = false;
  #wake: (() => void) | undefined;

  /**
   * @param initial frames that come first, made only as the watcher reads them.
   * @param stop called once when the watch is over, from whichever side.
   */
  constructor(limit: number, initial: Iterator<Uint8Array>, stop: () => void) {
    this.#limit = limit;
    this.#initial = initial;
    this.#stop = stop;
  }

  /** Queues a frame; false when the watch is over, perhaps because the watcher is too slow. */
  push(frame: Uint8Array): boolean {
    if (this.#ended) return false;
    if (this.#frames.length - this.#read >= this.#limit) {
      this.end();
      return false;
    }
    this.#frames.push(frame);
    this.#wake?.();
    return true;
  }

  /** Ends the watch once what is queued has been read. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#wake?.();
    this.#stop();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const value = this.#take();
      if (value !== undefined) return { done: false, value };
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  /** The reader ends: what is queued is dropped. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#frames = [];
    this.#read = 0;
    this.#initial = undefined;
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): Uint8Array | undefined {
    const batch: Uint8Array[] = [];
    let size = 0;
    while (size < CHUNK) {
      const frame = this.#nextFrame();
      if (frame === undefined) break;
      batch.push(frame);
      size += frame.length;
    }
    return batch.length < 2 ? batch[0] : joinedFrom(Buffer.concat(batch, size), batch);
  }

  #nextFrame(): Uint8Array | undefined {
    const next = this.#initial?.next();
    if (next !== undefined && next.done !== true) return next.value;
    this.#initial = undefined;
    const frame = this.#frames[this.#read];
    if (frame === undefined) {
      this.#frames = [];
      this.#read = 0;
      return undefined;
    }
    this.#read += 1;
    return frame;
  }
}
