import type { Clock } from './clock.ts';

type Timer = { readonly at: number; readonly callback: () => void };

/** A clock that moves only when it is advanced. */
export type ManualClock = Clock & {
  /** Moves on by `ms`, firing what falls due in order; promises that a callback settles run before the next one. */
  advance(ms: number): Promise<void>;
  /** Moves on to the next timer. False when there is none. */
  advanceToNext(): Promise<boolean>;
  /** Timers that wait. A component that has stopped leaves none. */
  readonly pending: number;
};

/** For tests and simulations. Begins at `start`, milliseconds since 1970. */
export function createManualClock(start: number = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start;
  const timers = new Set<Timer>();
  const next = (): Timer | undefined =>
    [...timers].reduce<Timer | undefined>(
      (first, timer) => (first === undefined || timer.at < first.at ? timer : first),
      undefined,
    );
  const fire = async (timer: Timer): Promise<void> => {
    timers.delete(timer);
    now = Math.max(now, timer.at);
    timer.callback();
    await settle();
  };
  return {
    now: () => now,
    monotonic: () => now - start,
    after(ms, callback) {
      const timer = { at: now + Math.max(0, ms), callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let timer = next(); timer !== undefined && timer.at <= end; timer = next()) await fire(timer);
      now = end;
    },
    async advanceToNext() {
      await settle();
      const timer = next();
      if (timer !== undefined) await fire(timer);
      return timer !== undefined;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** Lets every promise that can settle do so: macrotasks run after all microtasks. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
