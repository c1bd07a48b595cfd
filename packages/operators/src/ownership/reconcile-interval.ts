import { parseDuration } from '../kit/parse-duration.ts';
import { ANNOTATIONS } from './api.ts';

/** The minimum, as the original's `--min-reconcile-interval`. */
const MIN_MS = 1000;
/** Where a manifest asks for the default, as the original's `--default-reconcile-interval`. */
const DEFAULT_MS = 5 * 60_000;
/** The longest delay of a timer. */
const MAX_MS = 2 ** 31 - 1;

/**
 * Milliseconds between two looks at an object that is in sync, so that drift is corrected; `undefined`: it is looked
 * at when something about it changes. An interval that cannot be parsed is the minimum, as in the original.
 */
export function reconcileInterval(
  settings: Readonly<Record<string, string>>,
  defaultMs = DEFAULT_MS,
): number | undefined {
  const { [ANNOTATIONS.reconcileInterval]: text, [ANNOTATIONS.useDefaultReconcileInterval]: usesDefault } =
    settings;
  if (text !== undefined && text !== '') return bounded(parseDuration(text) ?? MIN_MS);
  return usesDefault === 'true' ? bounded(defaultMs) : undefined;
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, MIN_MS), MAX_MS);
}
