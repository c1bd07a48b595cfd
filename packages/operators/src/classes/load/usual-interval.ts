/** An interval that is longer by no more than this factor is the same one. */
const SAME = 1.25;

/**
 * The interval at which samples usually come, seconds. In a range with a gap it looks longer than it is, so that the least counts; one that
 * is longer for all of `patienceMs` has been changed.
 */
export class UsualInterval {
  #least: number | undefined;
  /** Since when, without a break, it looked longer. */
  #longerSince: number | undefined;

  get seconds(): number | undefined {
    return this.#least;
  }

  /** `seen`: in the range until `now`, milliseconds on a line that never goes back; undefined in the middle of a gap. */
  learn(seen: number | undefined, now: number, patienceMs: number): void {
    const least = this.#least ?? seen ?? Infinity;
    const isLonger = seen !== undefined && seen > least * SAME;
    this.#longerSince = isLonger ? (this.#longerSince ?? now) : undefined;
    if (seen === undefined) return;
    const isOver = this.#longerSince !== undefined && now - this.#longerSince > patienceMs;
    this.#least = isOver ? seen : Math.min(least, seen);
  }
}
