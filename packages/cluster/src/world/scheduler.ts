import { nextTurn } from './turn-timer.ts';

type Entry = { readonly at: number; readonly order: number; readonly run: () => void; cancelled: boolean };

/**
 * The one thing that makes anything happen in a world: timers, requests, answers and watch events are entries in one
 * queue, ordered by virtual time. Between two entries every promise that can settle has settled, so a run is decided
 * by the queue alone.
 */
export class Scheduler {
  readonly #queue: Entry[] = [];
  #now = 0;
  #order = 0;
  #steps = 0;

  /** Virtual milliseconds since the world began. */
  get now(): number {
    return this.#now;
  }

  /** Entries run so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Runs `run` after `ms`; returns what cancels it. */
  after(ms: number, run: () => void): () => void {
    const entry: Entry = { at: this.#now + Math.max(0, ms), order: this.#order++, run, cancelled: false };
    this.#queue.splice(this.#position(entry), 0, entry);
    return () => {
      entry.cancelled = true;
    };
  }

  /** Runs entries in order until `until` (virtual milliseconds), or until `stop` says so. */
  async run(until: number, stop: () => boolean = () => false): Promise<void> {
    await nextTurn();
    while (!stop()) {
      const entry = this.#queue[0];
      if (entry === undefined || entry.at > until) break;
      this.#queue.shift();
      if (entry.cancelled) continue;
      this.#now = entry.at;
      this.#steps++;
      entry.run();
      await nextTurn();
    }
    if (!stop()) this.#now = Math.max(this.#now, until);
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
