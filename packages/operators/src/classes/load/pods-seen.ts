/** The pods of one workload that run, those that have run within a range, and whether all of these are known. */
export type PodsWithin = {
  readonly pods: readonly string[];
  readonly gone: readonly string[];
  /** False: it was not watched for that long, so that others may have run. */
  readonly isWhole: boolean;
};

/** The most pods that are gone and still count: a workload that crashes has many. */
const MOST_GONE = 200;

/**
 * Which pods of a workload have run lately. What they carried is in the rates of a range, so that a step down, a rollout or an
 * eviction does not look like less load. `now`: milliseconds on a line that never goes back.
 */
export class PodsSeen {
  readonly #since: number;
  /** When each pod was last seen; the oldest first. */
  readonly #last = new Map<string, number>();

  constructor(now: number) {
    this.#since = now;
  }

  /** Takes note of the pods that run, and returns those of the last `rangeMs`. */
  see(pods: readonly string[], now: number, rangeMs: number): PodsWithin {
    for (const pod of pods) {
      this.#last.delete(pod);
      this.#last.set(pod, now);
    }
    for (const [pod, at] of this.#last) {
      const isOver = now - at > rangeMs || this.#last.size > pods.length + MOST_GONE;
      if (!isOver) break;
      this.#last.delete(pod);
    }
    const running = new Set(pods);
    const gone = [...this.#last.keys()].filter((pod) => !running.has(pod)).toSorted();
    return { pods, gone, isWhole: now - this.#since >= rangeMs };
  }
}
