/**
 * A fault to inject, as data. `call` counts the calls of a component across restarts, from 1, so that a fault means the
 * same in every run of a seed; one whose call never comes does nothing.
 */
export type WorldFault =
  /**
   * The component crashes as it makes a call: before the server receives it, or after. It restarts later, perhaps behind a
   * lagging cache: then its first lists are stale by some writes, and its watches are silent for some time.
   */
  | {
      readonly type: 'crash';
      readonly component: string;
      readonly call: number;
      readonly when: 'before' | 'after';
      readonly restartAfter: number;
      /** Writes that its first lists do not contain yet. */
      readonly behind: number;
      /** Milliseconds until its watches catch up; default 0. */
      readonly stale?: number;
    }
  /** The server never receives the request. */
  | { readonly type: 'lostRequest'; readonly component: string; readonly call: number }
  /** The server handles the request, and the response is lost. */
  | { readonly type: 'lostResponse'; readonly component: string; readonly call: number }
  /** A proxy responds in the server's place, with an error. */
  | {
      readonly type: 'errorResponse';
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
  /** Every event of a watch is sent twice. */
  | { readonly type: 'repeat'; readonly component: string; readonly call: number }
  /** Just before the server receives the request, another client writes: what the scenario's `rival` does. */
  | { readonly type: 'rival'; readonly component: string; readonly call: number }
  /** The server keeps the managedFields that it had, and responds 200: as when it cannot decode one of the new ones. */
  | { readonly type: 'invalidManagedFields'; readonly component: string; readonly call: number }
  /** The nth request of the server to the component's webhooks, or the response to it, is lost. */
  | {
      readonly type: 'lostWebhookCall';
      readonly component: string;
      readonly webhookCall: number;
      readonly part: 'request' | 'response';
    }
  /** The server compacts its history: watches and pages from before get a 410. */
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
   * A foreign mutating webhook handles what components write, from `at` on for `ms` and so many writes: it undoes the
   * write, strips the annotations and finalizers that it adds, changes its annotations, delays it, or rejects it.
   */
  | {
      readonly type: 'hostile';
      readonly effect: 'undo' | 'strip' | 'change' | 'delay' | 'reject';
      readonly at: number;
      readonly ms: number;
      readonly writes: number;
      /** Of a delay. */
      readonly delayMs: number;
    };
