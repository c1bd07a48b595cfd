import type { EventNote } from '@kubewright/runtime';

/**
 * What an operator's pure `decide` returns: the whole of what is to be done, as data.
 * No actions and an unchanged status mean that nothing is written.
 */
export type Decision<A, S> = {
  readonly status?: S;
  readonly actions: readonly A[];
  /** Told about the object that was decided on. */
  readonly events: readonly EventNote[];
  /** Milliseconds until the next look; absent when only a change can matter. */
  readonly requeueAfter?: number;
  /** CamelCase word for logs, metrics and tests: why this decision and no other. */
  readonly reason: string;
};
