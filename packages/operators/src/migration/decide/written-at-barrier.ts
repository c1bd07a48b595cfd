import type { Report } from '@kubewright/migratable';
import { snapshotName } from '../mirror-name.ts';
import { hasHandled } from './command-pod.ts';
import { type Context, reportOf } from './turn.ts';

/** The report of the source, if that stands at the barrier and the broker has its state, whatever becomes of the source. */
export function writtenAtBarrier(context: Context): Report | undefined {
  const { handover, observed } = context;
  const report = reportOf(context, handover.from.uid);
  const queue = snapshotName(observed.migration, handover.epoch);
  const isThere = report?.mode === 'paused' && report.snapshot?.queue === queue;
  return isThere && hasHandled(context, report, 'barrier') ? report : undefined;
}
