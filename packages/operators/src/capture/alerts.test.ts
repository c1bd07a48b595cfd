import { createApiServer } from '@kubewright/apiserver';
import { createManager, Registry, silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { captureAlerts } from './alerts.ts';
import { captureParts } from './controller.ts';

test.for(captureAlerts)('CAP-D24 $name asks for metrics that the operator has', ({ expr }) => {
  const registry = new Registry();
  const manager = createManager({
    name: 'alerts',
    transport: createApiServer().transport(),
    webhooks: { port: 0, certificates: { current: () => undefined, onChange: () => () => undefined } },
    log: silentLogger,
    registry,
  });
  for (const part of captureParts.parts) part.add(manager, {});
  const names = expr.match(/\b(?:kubewright|capture)_\w+/gu) ?? [];
  expect(names).not.toEqual([]);
  for (const name of names) expect(registry.getSingleMetric(name), name).toBeDefined();
});
