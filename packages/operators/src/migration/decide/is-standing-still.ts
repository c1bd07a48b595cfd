import type { MigrationStatus } from '../api.ts';
import { isSequential } from '../strategy.ts';

/**
 * The source, which has written its state, stays where it is until the target has that: it is small, and to catch up with a source that
 * goes on takes longer than to restore it. Where the source is lost meanwhile, others may have taken messages.
 */
export function isStandingStill(status: MigrationStatus): boolean {
  const { handover, sourceLost = false } = status;
  return handover?.cut !== undefined && !handover.committed && !sourceLost && !isSequential(status);
}
