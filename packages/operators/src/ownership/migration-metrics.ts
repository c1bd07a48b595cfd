import { Counter, Histogram } from 'prom-client';
import type { Manager, Registry } from '@kubewright/runtime';
import type { Written } from './act.ts';
import type { OwnershipReport } from './api.ts';
import { isListed } from './decide/movable.ts';
import type { ResourceAction } from './decide/resource-decision.ts';
import type { MigrationPolicy } from './migration-policy.ts';
import { managerOf } from './read-managed-fields.ts';

/** Metrics of moves of ownership, in the manager's registry. */
export type MigrationMetrics = {
  /** Counts the outcome of a rewrite of `managedFields`, and observes its duration; other writes pass. */
  measure(action: ResourceAction, write: () => Promise<Written>): Promise<Written>;
  /** Counts what is new in the report of an object of a kind. */
  noteReport(kind: string, before: OwnershipReport | undefined, now: OwnershipReport | undefined): void;
};

/** The label of managers that the settings do not name: anybody may invent field managers. */
const OTHER = 'other';

export function createMigrationMetrics(
  { registry, clock }: Pick<Manager, 'registry' | 'clock'>,
  policy: MigrationPolicy,
): MigrationMetrics {
  const metrics = registered([registry]);
  return {
    async measure(action, write) {
      if (action.type !== 'rewrite' || action.report === undefined) return write();
      const isRollback = action.report.state === 'RolledBack';
      const begun = clock.monotonic();
      const written = await write().catch((error: unknown) => {
        if (!isRollback) metrics.migrations.inc({ status: 'failure' });
        throw error;
      });
      if (isRollback) {
        if (written.outcome === 'done') metrics.rollbacks.inc();
        return written;
      }
      metrics.seconds.observe((clock.monotonic() - begun) / 1000);
      countOutcome(written, action.report, metrics);
      return written;
    },
    noteReport(kind, before, now) {
      if (now === undefined || (before?.state === now.state && before.message === now.message)) return;
      if (now.state === 'RolledBack') return;
      for (const other_manager of labelsOf(now, policy)) metrics.split.inc({ kind, other_manager });
      if (now.state === 'Blocked') metrics.migrations.inc({ status: 'skipped' });
      if (now.state === 'Left') metrics.residual.inc();
      if (now.state === 'Contested') metrics.contested.inc();
    },
  };
}

function countOutcome(
  { outcome }: Written,
  { count = 0 }: OwnershipReport,
  { migrations, conflicts, ignored, paths }: ReturnType<typeof registered>,
): void {
  if (outcome === 'conflict') return conflicts.inc();
  migrations.inc({ status: outcome === 'done' ? 'success' : 'failure' });
  if (outcome === 'done') paths.inc(count);
  else if (outcome.reason === 'RewriteIgnored') ignored.inc();
}

/** The entries of the configured lists that name the other owners. */
function labelsOf({ managers = [] }: OwnershipReport, { sources }: MigrationPolicy): ReadonlySet<string> {
  const names = sources.flat().filter((entry) => !entry.startsWith('!'));
  const labels = managers.map((described) => {
    const manager = managerOf(described);
    return names.find((entry) => isListed(manager, [entry])) ?? OTHER;
  });
  return new Set(labels);
}

function registered(registers: Registry[]) {
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers });
  return {
    migrations: new Counter({
      name: 'eno_ownership_migrations_total',
      help: 'Moves of ownership, by status: success, failure (rejected or ignored by the server), skipped (blocked)',
      labelNames: ['status'],
      registers,
    }),
    seconds: new Histogram({
      name: 'eno_ownership_migration_duration_seconds',
      help: 'How long the server took to respond to a move of ownership',
      registers,
    }),
    split: new Counter({
      name: 'eno_split_ownership_detected_total',
      help: 'Objects of which others own what the manifest drops, by kind and manager; other: not named in MIGRATING_FIELD_MANAGERS',
      labelNames: ['kind', 'other_manager'],
      registers,
    }),
    paths: counter('eno_ownership_paths_moved_total', 'Fields of which ownership was moved'),
    conflicts: counter(
      'eno_ownership_conflicts_retried_total',
      'Moves that were planned anew, because the object had changed',
    ),
    ignored: counter('eno_ownership_rewrites_ignored_total', 'Moves that the server accepted without effect'),
    contested: counter(
      'eno_ownership_contested_total',
      'Objects of which another applier claimed again what was moved',
    ),
    rollbacks: counter(
      'eno_ownership_rollbacks_total',
      'Moves that were undone, because the server rejected the apply',
    ),
    residual: counter(
      'eno_ownership_residual_detected_total',
      'Objects that keep fields which the manifest dropped, because others own them',
    ),
  };
}
