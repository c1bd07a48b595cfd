export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that is never set. */
  monotonic(): number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
