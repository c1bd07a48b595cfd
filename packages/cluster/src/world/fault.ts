/**
 * What goes wrong, as data. `call` counts the calls of a component over all its lives, from 1, so that a fault means
 * the same in every run of a seed; one whose call never comes does nothing.
 */
export type WorldFault =
  /**
   * The component dies as it makes a call: before the server has it, or after. It starts again later, perhaps behind a
   * cache that lags: then its first lists are some writes old, and no news comes for so long.
   */
  | {
      readonly type: 'crash';
      readonly component: string;
      readonly call: number;
      readonly when: 'before' | 'after';
      readonly restartAfter: number;
      /** Writes that its first lists do not know of. */
      readonly behind: number;
      /** Milliseconds until its watches catch up; default 0. */
      readonly stale?: number;
    }
  /** The server never gets the call. */
  | { readonly type: 'lostRequest'; readonly component: string; readonly call: number }
  /** The server does what it was asked, and nobody learns of it. */
  | { readonly type: 'lostResponse'; readonly component: string; readonly call: number }
  /** Somebody on the way answers in the server's place. */
  | {
      readonly type: 'refuse';
      readonly component: string;
      readonly call: number;
      readonly status: 409 | 429 | 500 | 503;
    }
  /** The call arrives late: others come before it. */
  | { readonly type: 'delay'; readonly component: string; readonly call: number; readonly ms: number }
  /** A watch ends after so many of its events, in the middle of the next one. */
  | { readonly type: 'cut'; readonly component: string; readonly call: number; readonly events: number }
  /** The events of a watch come late. */
  | { readonly type: 'lag'; readonly component: string; readonly call: number; readonly ms: number }
  /** Every event of a watch is told twice. */
  | { readonly type: 'repeat'; readonly component: string; readonly call: number }
  /** Just before the server has the call, somebody else writes: what the scenario's `rival` does. */
  | { readonly type: 'rival'; readonly component: string; readonly call: number }
  /** The server keeps the managedFields that it had, and answers 200: as when it cannot read one of the new ones. */
  | { readonly type: 'voidClaims'; readonly component: string; readonly call: number }
  /** What the server asks of the component's webhooks, for the so manieth time, or the answer, does not arrive. */
  | {
      readonly type: 'lostQuestion';
      readonly component: string;
      readonly question: number;
      readonly part: 'question' | 'answer';
    }
  /** The server forgets its history: watches and pages from before are answered 410. */
  | { readonly type: 'compact'; readonly at: number }
  /** The component's wall clock is off. */
  | { readonly type: 'skew'; readonly component: string; readonly ms: number }
  /** The component is frozen: nothing runs in it, then all that was due at once. Its clocks go on. */
  | { readonly type: 'pause'; readonly component: string; readonly at: number; readonly ms: number }
  /** The component's wall clock is set, forward or back, while it runs. */
  | { readonly type: 'jump'; readonly component: string; readonly at: number; readonly ms: number }
  /** A second instance of the component runs, for a while, beside the first. */
  | { readonly type: 'twin'; readonly component: string; readonly at: number; readonly ms: number }
  /**
   * Somebody's mutating webhook meets what components write, from `at` on for `ms` and so many writes: takes it back,
   * takes away the annotations and finalizers that it adds, changes its annotations, keeps it waiting, or rejects it.
   */
  | {
      readonly type: 'hostile';
      readonly deed: 'undo' | 'strip' | 'change' | 'delay' | 'reject';
      readonly at: number;
      readonly ms: number;
      readonly writes: number;
      /** Of a delay. */
      readonly delayMs: number;
    };
