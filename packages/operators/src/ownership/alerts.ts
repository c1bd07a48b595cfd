import type { Alert } from '../kit/operator.ts';

/** When somebody should look at moves of ownership. The metrics are those of `migration-metrics.ts`. */
export const ownershipAlerts: readonly Alert[] = [
  {
    name: 'OwnershipMigrationsFailing',
    expr: 'sum(rate(eno_ownership_migrations_total{status="failure"}[15m])) / sum(rate(eno_ownership_migrations_total{status=~"success|failure"}[15m])) > 0.1',
    for: '15m',
    severity: 'warning',
    summary: 'More than a tenth of the moves of field ownership fail',
    description:
      'The API server or a webhook rejects changes of managedFields. Look for reconciliationError in the status of ResourceSlices.',
  },
  {
    name: 'OwnershipRewritesIgnored',
    expr: 'sum(increase(eno_ownership_rewrites_ignored_total[1h])) > 0',
    severity: 'warning',
    summary: 'The API server accepts moves of field ownership without effect',
    description:
      'A mutating webhook or an entry that cannot be parsed makes the server keep the old managedFields. Resources with RewriteIgnored name the objects.',
  },
  {
    name: 'OwnershipContested',
    expr: 'sum(increase(eno_ownership_contested_total[1h])) > 0',
    severity: 'warning',
    summary: 'Another applier claims again each time what was moved',
    description:
      'Two appliers have the same fields in their manifests. The condition OwnershipContested of the Composition names them: leave the fields out of one.',
  },
  {
    name: 'OwnershipRolledBack',
    expr: 'sum(increase(eno_ownership_rollbacks_total[1h])) > 0',
    severity: 'warning',
    summary: 'Moves of field ownership were undone because the server rejected the apply',
    description:
      'The manifest cannot be applied. The condition OwnershipBlocked of the Composition says why.',
  },
];
