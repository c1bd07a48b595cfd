import type { Report } from '@kubewright/migratable';
import { snapshotName } from '../mirror-name.ts';
import { hasHandled } from './command-pod.ts';
import { isOtherInstance } from './instance-of.ts';
import { type Context, reportOf } from './turn.ts';

/**
 * The report of the source, if that stands at the barrier and the broker has its state, whatever becomes of the source. A process that
 * was started in its place reads the same barrier, but what it writes there is the state of one that has just begun.
 */
export function writtenAtBarrier(context: Context): Report | undefined {
  const { handover, observed } = context;
  if (isOtherInstance(context, handover.from)) return undefined;
  const report = reportOf(context, handover.from.uid);
  const queue = snapshotName(observed.migration, handover.epoch);
  const isThere = report?.mode === 'paused' && report.snapshot?.queue === queue;
  return isThere && hasHandled(context, report, 'barrier') ? report : undefined;
}
