import { type Clock, systemClock } from '@kubewright/client';

/** The real clock, on which everything passes `factor` times as fast: backoffs of minutes in seconds. */
export function fastClock(factor: number): Clock {
  const begin = { now: systemClock.now(), monotonic: systemClock.monotonic() };
  const monotonic = (): number => begin.monotonic + factor * (systemClock.monotonic() - begin.monotonic);
  return {
    monotonic,
    now: () => begin.now + Math.round(monotonic() - begin.monotonic),
    after: (ms, callback, options) => systemClock.after(ms / factor, callback, options),
  };
}
