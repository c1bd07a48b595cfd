import { turnTimer } from './turn-timer.ts';

type Entry = { readonly at: number; readonly order: number; readonly run: () => void; cancelled: boolean };

/** Entries for which one turn of the event loop makes room. More would be left over at the end of every run. */
const TURN = 64;

/**
 * The one thing that makes anything happen in a world: timers, requests, responses and watch events are entries in one
 * queue, ordered by virtual time. Between two entries every promise that can settle has settled, so a run is decided
 * by the queue alone.
 */
export class Scheduler {
  readonly #queue: Entry[] = [];
  #now: number;
  #order = 0;

  /** @param now virtual milliseconds at which time begins */
  constructor(now = 0) {
    this.#now = now;
  }

  /** Virtual milliseconds since the world began. */
  get now(): number {
    return this.#now;
  }

  /** Runs `run` after `ms`, in whole milliseconds as timers and clocks have them; returns what cancels it. */
  after(ms: number, run: () => void): () => void {
    const entry: Entry = {
      at: this.#now + Math.max(0, Math.trunc(ms)),
      order: this.#order++,
      run,
      cancelled: false,
    };
    this.#queue.splice(this.#position(entry), 0, entry);
    return () => {
      entry.cancelled = true;
    };
  }

  /** Runs entries in order until `until` (virtual milliseconds), or until `stop` says so. */
  run(until: number, stop: () => boolean = () => false): Promise<void> {
    return new Promise((resolve, reject) => {
      let [left, ended] = [0, false];
      const end = (settle: () => void): void => {
        ended = true;
        settle();
      };
      // Node settles all promises before the next immediate, and begins a turn of its loop, which costs far more
      // than an entry, only when no immediate is left: so many of them are made at once.
      const step = (): void => {
        left--;
        if (ended) return;
        try {
          if (!this.#runNext(until, stop)) end(resolve);
          else if (left === 0) wind();
        } catch (error) {
          end(() => reject(error));
        }
      };
      const wind = (): void => {
        for (; left < TURN; left++) turnTimer(step);
      };
      wind();
    });
  }

  /** False when nothing is left to run. */
  #runNext(until: number, stop: () => boolean): boolean {
    if (stop()) return false;
    const entry = this.#takeNext(until);
    if (entry === undefined) {
      this.#now = Math.max(this.#now, until);
      return false;
    }
    this.#now = entry.at;
    entry.run();
    return true;
  }

  #takeNext(until: number): Entry | undefined {
    for (;;) {
      const entry = this.#queue[0];
      if (entry === undefined || entry.at > until) return undefined;
      this.#queue.shift();
      if (!entry.cancelled) return entry;
    }
  }

  #position(entry: Entry): number {
    let low = 0;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#queue[middle];
      const isBefore =
        other !== undefined && (other.at < entry.at || (other.at === entry.at && other.order < entry.order));
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
