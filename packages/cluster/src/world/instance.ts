import type { Clock } from '@kubewright/client';
import type { Scheduler } from './scheduler.ts';

/** The wall clock at which worlds begin. */
const EPOCH = Date.UTC(2026, 0, 1);

/** One run of a component, from start to crash. After {@link kill} its timers do not fire and its calls get no response. */
export class Instance {
  readonly #scheduler: Scheduler;
  #skew: number;
  readonly #killed: (() => void)[] = [];
  #alive = true;
  #frozenUntil = 0;

  constructor(scheduler: Scheduler, skew = 0) {
    this.#scheduler = scheduler;
    this.#skew = skew;
  }

  get alive(): boolean {
    return this.#alive;
  }

  kill(): void {
    this.#alive = false;
    for (const callback of this.#killed.splice(0)) callback();
  }

  /** Nothing runs in this instance for `ms`: its timers and what is sent to it wait, in order. */
  freeze(ms: number): void {
    this.#frozenUntil = Math.max(this.#frozenUntil, this.#scheduler.now + ms);
  }

  shiftClock(ms: number): void {
    this.#skew += ms;
  }

  /** Calls back when this instance ends. */
  onKilled(callback: () => void): void {
    this.#killed.push(callback);
  }

  /** Runs `run` after `ms`, if this instance lasts as long; when it is frozen then, as soon as it thaws. */
  after(ms: number, run: () => void): () => void {
    let cancel: () => void;
    const fire = (): void => {
      if (!this.#alive) return;
      const frozen = this.#frozenUntil - this.#scheduler.now;
      if (frozen > 0) cancel = this.#scheduler.after(frozen, fire);
      else run();
    };
    cancel = this.#scheduler.after(ms, fire);
    return () => cancel();
  }

  /** Runs `run` after `ms` for what has left this instance: the network does not freeze with it. */
  afterOutside(ms: number, run: () => void): void {
    this.#scheduler.after(ms, () => {
      if (this.#alive) run();
    });
  }

  get clock(): Clock {
    return {
      now: () => EPOCH + this.#scheduler.now + this.#skew,
      monotonic: () => this.#scheduler.now,
      after: (ms, callback) => this.after(ms, callback),
    };
  }
}
