import { type Clock, systemClock } from '@kubewright/client';

/** A clock that begins now and runs `times` as fast: backoffs of minutes take seconds. */
export function fastClock(times: number): Clock {
  const began = systemClock.monotonic();
  const elapsed = (): number => (systemClock.monotonic() - began) * times;
  const start = systemClock.now();
  return {
    now: () => start + Math.round(elapsed()),
    monotonic: elapsed,
    after: (ms, callback, options) => systemClock.after(ms / times, callback, options),
  };
}
