import { formatTime } from '@kubewright/kube';
import type { MigrationStatus, Outcome } from '../api.ts';
import type { ObservedMigration } from './observed-migration.ts';
import type { StepName } from './step-name.ts';

/** What a process says of a state that it cannot restore, or restores as another one. */
const FAILURES: ReadonlySet<string> = new Set(['CommandFailed', 'DigestMismatch']);
/** A new template may mend it: it is tried so often at least, and for as long as a step may take. */
const LEAST_TRIES = 5;

export const STATE_NOT_RESTORED = 'StateNotRestored';

type Failures = NonNullable<MigrationStatus['restoreFailures']>;
type Failure = { readonly step: StepName; readonly reason: string; readonly now: Date };

/** With this failure, where it is one of the restore of a state that is kept. */
export function restoreFailures(
  { restoreFailures: before }: MigrationStatus,
  { step, reason, now }: Failure,
): Failures | undefined {
  if (step !== 'Restore' || !FAILURES.has(reason)) return before;
  return { times: (before?.times ?? 0) + 1, since: before?.since ?? formatTime(now) };
}

/** The end of a migration whose state no pod restores; undefined: it is tried again. */
export function givenUp(
  { migration, settings }: ObservedMigration,
  failures: Failures | undefined,
  { message, now, queue }: { readonly message: string; readonly now: Date; readonly queue: string },
): Outcome | undefined {
  if (failures === undefined || failures.times < LEAST_TRIES) return undefined;
  const seconds = migration.spec.deadlines?.stepSeconds ?? settings.step;
  if ((now.getTime() - Date.parse(failures.since)) / 1000 <= seconds) return undefined;
  const { name, namespace } = migration.metadata;
  const get = `"kubewright migrate state ${name} -n ${namespace}" prints it`;
  return {
    phase: 'Failed',
    reason: STATE_NOT_RESTORED,
    message: `${message}, ${failures.times} times since ${failures.since}. The state is kept in queue ${queue}: ${get}. Delete the queue when it is not needed any more`,
  };
}
