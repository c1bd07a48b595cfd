import type { Phase, Reason } from '../api.ts';
import type { ClassAction } from './observed-class.ts';

/** What a row of the table says. */
export type Verdict = {
  readonly phase: Phase;
  readonly reason: Reason;
  readonly message: string;
  readonly action?: ClassAction | undefined;
  /** Seconds. */
  readonly requeue?: number | undefined;
};
