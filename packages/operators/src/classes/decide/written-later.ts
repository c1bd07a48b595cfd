import type { Facts } from './facts.ts';
import type { Verdict } from './verdict.ts';

/** Two writes of how far a class has come are no further apart than this share of the time that it may take. */
const SHARE = 0.1;
/** Seconds from the first of them to the second. */
const FIRST = 5;

/**
 * Seconds until a status is written that differs only in how far a class has come: while its pods start, each of them would
 * be a write of its own. Undefined: it is written now, as each change of the phase, the reason or the generation is.
 */
export function writtenLater(
  { runtime, status, lifecycle, isRecorded, inPhase, settings, now }: Facts,
  { phase, reason }: Verdict,
): number | undefined {
  const isOnTheWay = phase === 'progressing' && status.phase === phase && lifecycle.reason === reason;
  const isSeen = isRecorded && status.observed_generation === runtime.metadata.generation;
  if (!isOnTheWay || !isSeen || status.last_updated === undefined) return undefined;
  const passed = (now.getTime() - Date.parse(status.last_updated)) / 1000;
  // The next one is as far from the last as that was from the beginning.
  const apart = Math.min(Math.max(FIRST, inPhase - passed), SHARE * settings.progressTimeout);
  // A clock that was set back holds nothing up.
  return passed >= 0 && passed < apart ? apart - passed : undefined;
}
