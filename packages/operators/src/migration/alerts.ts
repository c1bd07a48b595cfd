import type { Alert } from '../kit/operator.ts';

/** When somebody should look at migrations. The metrics are those of `metrics/`. */
export const migrationAlerts: readonly Alert[] = [
  {
    name: 'MigrationStalled',
    expr: 'max(migration_stalled) > 0',
    for: '1m',
    severity: 'warning',
    summary: 'A migration is not done with a step, or a phase, within its deadline',
    description:
      'The condition Stalled of the StatefulMigration says what it waits for, from whom, who has the state, and what you can do.',
  },
  {
    name: 'MigrationUndone',
    expr: 'sum(increase(migration_failed_total[1h])) > 0',
    severity: 'warning',
    summary: 'A migration failed',
    description:
      'Its message says why ("kubectl get sm -o wide"), and the label reason of migration_ended_total. The pod runs where it was before, unless the message says otherwise.',
  },
  {
    name: 'MigrationStateLost',
    expr: 'sum(increase(migration_state_lost_total[1h])) > 0',
    severity: 'critical',
    summary: 'The state of a pod was lost while it was moved',
    description:
      'A pod, or its node, went while only it had the state. Its successor begins without it, or goes on from an older one (Event OldState): restore the state from what the application has of its own.',
  },
  {
    name: 'MigrationBrokerUnavailable',
    expr: 'max(migration_broker_unavailable) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'A migration has been waiting for its broker for five minutes',
    description:
      'The condition BrokerUnavailable says why: the broker is away, or rejects what the account of the operator needs. The pod may be paused meanwhile.',
  },
  {
    name: 'MigrationHoldLeftOver',
    expr: 'min_over_time(max(migration_open_holds)[30m:1m]) > 0 and max(migration_oldest_seconds) > 3600',
    severity: 'warning',
    summary: 'The queue of an application has been held for half an hour',
    description:
      'A process that begins without the state does not consume a queue that is held. "kubectl get sm" shows the migrations that are open: finish or abort them.',
  },
];
