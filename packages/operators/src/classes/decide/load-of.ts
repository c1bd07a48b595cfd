import type { FunctionLoad } from '../class-load.ts';
import type { Settings } from '../settings.ts';
import type { RenderedFunction } from '../templates/rendering.ts';
import type { ObservedClass } from './observed-class.ts';

/** The load of a function at this generation of the class. */
export function loadOf(
  { runtime: { metadata }, load }: ObservedClass,
  { key }: RenderedFunction,
): FunctionLoad | undefined {
  const found = load?.uid === metadata.uid ? load.functions.get(key) : undefined;
  return found?.generation === metadata.generation ? found : undefined;
}

/** Whether a load is recent, and the milliseconds since 1970 until which it is. */
export function freshnessOf(
  load: FunctionLoad | undefined,
  { maxAge, analyzerInterval }: Settings,
  now: Date,
): { readonly isFresh: boolean; readonly freshUntil?: number } {
  if (load === undefined) return { isFresh: false };
  const freshUntil = load.at + 1000 * (maxAge ?? 3 * analyzerInterval);
  return { isFresh: now.getTime() <= freshUntil, freshUntil };
}
