export type Clock = {
  /** Milliseconds of a clock that is never set. */
  monotonic(): number;
};

export const systemClock: Clock = { monotonic: () => performance.now() };
