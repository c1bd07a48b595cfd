import type { Clock } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';

/** Work that no response waits for, in order. */
export type Backlog = {
  /** Does it in a turn of the loop of its own. */
  add(work: () => void): void;
  /** Does it now: somebody reads what it writes. */
  drain(): void;
};

/** Holds objects of as many requests. */
const MOST = 200;

export function createBacklog(clock: Pick<Clock, 'after'>, log: Logger): Backlog {
  let waiting: (() => void)[] = [];
  const drain = (): void => {
    const all = waiting;
    waiting = [];
    for (const work of all) {
      try {
        work();
      } catch (error) {
        log.error('cannot keep a decision', { error });
      }
    }
  };
  return {
    add(work) {
      waiting.push(work);
      if (waiting.length === 1) clock.after(0, drain, { background: true });
      else if (waiting.length >= MOST) drain();
    },
    drain,
  };
}
