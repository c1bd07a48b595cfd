import { Registry, systemClock } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { ownershipAlerts } from './alerts.ts';
import { createMigrationMetrics } from './migration-metrics.ts';
import { DEFAULT_POLICY } from './migration-policy.ts';

test.for(ownershipAlerts)('$name asks for metrics that the operator has', ({ expr }) => {
  const registry = new Registry();
  createMigrationMetrics({ registry, clock: systemClock }, DEFAULT_POLICY);
  const names = expr.match(/\beno_\w+/gu) ?? [];
  expect(names).not.toEqual([]);
  for (const name of names) expect(registry.getSingleMetric(name), name).toBeDefined();
});
