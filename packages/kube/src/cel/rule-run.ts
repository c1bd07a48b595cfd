import type { Json } from '../json/json.ts';
import type { FieldError } from '../schema/field-error.ts';
import type { CelMeter } from './cel-meter.ts';

/** One run over one object. */
export type RuleRun = {
  readonly meter: CelMeter;
  readonly errors: FieldError[];
  /** The rest of the budget. Negative: no more rules are run. */
  budget: number;
};

/** A value with its path and its old value. */
export type Place = {
  readonly value: Json;
  readonly old: Json | undefined;
  readonly path: string;
  /** Whether this value, or the nearest enclosing one that has an old value, is unchanged. */
  readonly isUnchanged: () => boolean;
};
