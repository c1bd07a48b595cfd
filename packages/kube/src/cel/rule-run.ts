import type { Json } from '../json/json.ts';
import type { FieldError } from '../schema/field-error.ts';
import type { CelMeter } from './cel-meter.ts';

/** One run over one object. */
export type RuleRun = {
  readonly meter: CelMeter;
  readonly errors: FieldError[];
  /** What is left of the budget. Negative: nothing more is run. */
  budget: number;
};

/** A value with its place, and what stood there before. */
export type Place = {
  readonly value: Json;
  readonly old: Json | undefined;
  readonly path: string;
  /** Whether this place, or the nearest around it that can be found in the old object, is as it was. */
  readonly isUnchanged: () => boolean;
};
