import type { Clock } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';

/** Work that no response waits for, in order. */
export type Backlog = {
  /** Does it when no more is added for a moment. */
  add(work: () => void): void;
  /** Does it now: somebody reads what it writes. */
  drain(): void;
};

/** Writes come in bursts, and each of one waits for what is done before it. */
const QUIET_MS = 10;
/** What is added without end is not put off for longer. */
const LONGEST_MS = 100;
/** Each holds the objects of its write, which V8 copies at each collection for as long as they wait. */
const MOST = 16;
/** So much of it, a request that comes meanwhile waits for. */
const SLICE = 8;

export function createBacklog(clock: Pick<Clock, 'after' | 'monotonic'>, log: Logger): Backlog {
  const waiting: (() => void)[] = [];
  let [isArmed, since, last] = [false, 0, 0];
  const work = (most: number): void => {
    for (const one of waiting.splice(0, most)) {
      try {
        one();
      } catch (error) {
        log.error('cannot keep a decision', { error });
      }
    }
  };
  const arm = (ms: number): void => {
    isArmed = true;
    clock.after(ms, look, { background: true });
  };
  const look = (): void => {
    isArmed = false;
    const now = clock.monotonic();
    const isTime = now - last >= QUIET_MS || now - since >= LONGEST_MS;
    if (isTime) work(SLICE);
    if (waiting.length > 0) arm(isTime ? 0 : QUIET_MS);
  };
  return {
    add(one) {
      last = clock.monotonic();
      if (waiting.length === 0) since = last;
      waiting.push(one);
      if (waiting.length > MOST) work(1);
      if (!isArmed) arm(QUIET_MS);
    },
    drain: () => work(waiting.length),
  };
}
