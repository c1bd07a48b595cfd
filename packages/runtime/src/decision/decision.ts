import type { EventNote } from '../events/event-note.ts';

/**
 * What a pure `decide` returns, as data: `A` is the type of actions, `S` that of the status.
 *
 * The status goes first, so it says what is true now: a crash before the action resumes from it. What only the action
 * makes true, the next look reports. Leave `status` out to keep the stored one.
 */
export type Decision<A, S> = {
  /** CamelCase word for logs, metrics and tests: why this decision and no other. One of a fixed set. */
  readonly reason: string;
  readonly status?: S;
  /** One write; after it everything is observed and decided again. Absent: nothing is left to do for now. */
  readonly action?: A;
  /** Recorded about the subject once: when the status is stored, or, where it is stored already, when the action is carried out. */
  readonly events?: readonly EventNote[];
  /** Milliseconds until the next look; absent where only a change matters. Of a decision without action. */
  readonly requeueAfter?: number;
};
