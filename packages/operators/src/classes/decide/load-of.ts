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

/** Of replicas `current`, of a resource `request`. */
type Found = { readonly decision?: string; readonly current?: number; readonly request?: number };

/**
 * Whether this process has read no load yet, after a start, and the function has what was last found right for this
 * generation. `stored`: the decision then, and what it had; `current`: what it has now.
 */
export function isStillSettled(
  { runtime: { metadata, status } }: ObservedClass,
  load: FunctionLoad | undefined,
  stored: Found | undefined,
  current: number | undefined,
): boolean {
  const isOfThis = status?.observed_generation === metadata.generation;
  const isSame = current === (stored?.current ?? stored?.request);
  return load === undefined && isOfThis && stored?.decision === 'NoChange' && isSame;
}

/** Whether a load is recent, its time, and until when it is recent, in milliseconds since 1970. */
export function freshnessOf(
  load: FunctionLoad | undefined,
  settings: Settings,
  now: Date,
): { readonly isFresh: boolean; readonly freshUntil?: number; readonly loadAt?: number } {
  if (load === undefined) return { isFresh: false };
  const freshUntil = load.at + maxAgeMs(settings);
  return { isFresh: now.getTime() <= freshUntil, freshUntil, loadAt: load.at };
}

/** How old a load may be, in milliseconds. */
export function maxAgeMs({ maxAge, analyzerInterval }: Settings): number {
  return 1000 * (maxAge ?? 3 * analyzerInterval);
}
