import type { LoggedDecision } from '../decision-log/decision-logs.ts';
import type { ExplainedField } from './explain-fields.ts';

/** What `kubewright drift explain` found. */
export type Explanation = {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly fields: readonly ExplainedField[];
  /** What was denied, the latest first. */
  readonly denied: readonly LoggedDecision[];
};
