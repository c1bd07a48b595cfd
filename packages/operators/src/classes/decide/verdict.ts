import type { Phase, Reason } from '../api.ts';
import type { ClassAction } from './observed-class.ts';

/** The result of a row of the table. */
export type Verdict = {
  readonly phase: Phase;
  readonly reason: Reason;
  readonly message: string;
  readonly action?: ClassAction | undefined;
  /** Seconds. */
  readonly requeue?: number | undefined;
};
