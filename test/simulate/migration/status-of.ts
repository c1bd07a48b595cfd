import type { RunResult } from '@kubewright/cluster';
import type { StatefulMigration } from '@kubewright/operators';

type Status = NonNullable<StatefulMigration['status']>;

/** The status of the migration at the end of a world. */
export function statusOf({ history }: RunResult): Status {
  const last = history.of('statefulmigrations', 'move').at(-1)?.object as StatefulMigration | undefined;
  return last?.status ?? { handedOver: false };
}

/** What was done, in order, and for which handover. */
export function journalOf(result: RunResult): readonly string[] {
  return (statusOf(result).steps ?? []).map(({ step, epoch }) => `${epoch} ${step}`);
}

/** A step of a handover, and whether the state was handed over before. */
export type RecordedStep = { readonly step: string; readonly epoch: number; readonly handedOver: boolean };

/** Steps that are on record by themselves: of some that follow each other at once, only the last is. */
export function recordedSteps({ history }: RunResult): readonly RecordedStep[] {
  const seen = new Map<string, RecordedStep>();
  for (const { object } of history.of('statefulmigrations', 'move')) {
    const { step, handover, handedOver = false } = (object as StatefulMigration).status ?? {};
    if (step === undefined || handover === undefined) continue;
    seen.set(`${handover.epoch} ${step}`, { step, epoch: handover.epoch, handedOver });
  }
  return [...seen.values()];
}
