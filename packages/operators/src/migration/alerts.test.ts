import { createApiServer } from '@kubewright/apiserver';
import { createManager, Registry, silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { migrationAlerts } from './alerts.ts';
import { migrationParts } from './controller.ts';

test.for(migrationAlerts)('MIG-82 $name asks for metrics that the operator has', ({ expr }) => {
  const registry = new Registry();
  const manager = createManager({
    name: 'alerts',
    transport: createApiServer().transport(),
    webhooks: { port: 0, certificates: { current: () => undefined, onChange: () => () => undefined } },
    log: silentLogger,
    registry,
  });
  for (const part of migrationParts.parts) part.add(manager, {});
  const names = expr.match(/\bmigration_\w+/gu) ?? [];
  expect(names).not.toEqual([]);
  for (const name of names) expect(registry.getSingleMetric(name), name).toBeDefined();
});
