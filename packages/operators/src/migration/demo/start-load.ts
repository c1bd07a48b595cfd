import { type Clock, sleep } from '@kubewright/kube';
import type { Message } from '@kubewright/migratable';

/** The messages that one producer has published. */
export type Load = {
  /** Confirmed messages so far; they are numbered from 1. */
  readonly published: number;
  /** Stops; resolves with the number of confirmed messages, rejects if one was not confirmed. */
  stop(): Promise<number>;
};

export type LoadOptions = {
  readonly producer: string;
  readonly perSecond: number;
  /** Resolves when the broker has confirmed it. */
  readonly publish: (message: Message) => Promise<void>;
  /** Asked before each message; where it may not be published, it is when its turn comes again. Default: yes. */
  readonly mayPublish?: () => boolean;
  readonly clock: Clock;
};

/** Publishes numbered messages one after the other, each confirmed, as close to the rate as the broker allows. */
export function startLoad(options: LoadOptions): Load {
  const { producer, perSecond, publish, mayPublish = () => true, clock } = options;
  const stop = new AbortController();
  const start = clock.monotonic();
  let published = 0;
  const run = async (): Promise<number> => {
    for (let turn = 1; !stop.signal.aborted; turn++) {
      if (mayPublish()) {
        await publish({ body: { producer, seq: published + 1 } });
        published += 1;
      }
      const due = start + (turn * 1000) / perSecond;
      await sleep(clock, Math.max(0, due - clock.monotonic()), stop.signal);
    }
    return published;
  };
  const ended = run();
  ended.catch(() => undefined);
  return {
    get published() {
      return published;
    },
    stop() {
      stop.abort();
      return ended;
    },
  };
}
