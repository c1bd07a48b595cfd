import { createApiServer } from '@kubewright/apiserver';
import { createManager, Registry, silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { classAlerts } from './alerts.ts';
import { classesParts } from './controller.ts';

test.for(classAlerts)('CRT-D44 $name asks for metrics that the operator has', ({ expr }) => {
  const registry = new Registry();
  const manager = createManager({
    name: 'alerts',
    transport: createApiServer().transport(),
    log: silentLogger,
    registry,
  });
  for (const part of classesParts.parts) part.add(manager, {});
  const names = expr.match(/\bcrm_\w+/gu) ?? [];
  expect(names).not.toEqual([]);
  for (const name of names) expect(registry.getSingleMetric(name), name).toBeDefined();
});
