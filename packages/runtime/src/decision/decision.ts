import type { EventNote } from '../events/event-note.ts';

/**
 * What a pure `decide` returns, as data: `A` is the type of actions, `S` that of the status.
 *
 * The status is written first, so it reports what is true now: after a crash before the action, the controller resumes from
 * it. The outcome of the action is reported after the next observation. Omit `status` to keep the stored one.
 */
export type Decision<A, S> = {
  /** CamelCase word for logs, metrics and tests: why this decision and no other. One of a fixed set. */
  readonly reason: string;
  readonly status?: S;
  /** One write, after which the state is observed and decided on again. Absent: nothing to do for now. */
  readonly action?: A;
  /** Recorded about the subject once: when the status is stored, or, where it is stored already, when the action is carried out. */
  readonly events?: readonly EventNote[];
  /** Milliseconds until the next observation; absent where only a change matters. For a decision without an action. */
  readonly requeueAfter?: number;
};
