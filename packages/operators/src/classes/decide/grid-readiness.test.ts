import { isConditionTrue } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { ClassRuntimeStatus } from '../api.ts';
import { type GridHealth, SILENT } from '../grid/grid-health.ts';
import { childrenOf, classOf, decidedAt, statusOf, timeAt } from '../testing/class-bench.ts';
import { storedGrid } from './grid-readiness.ts';

const CLASS = classOf({ odgm: true });
const LACKING: GridHealth = {
  ready: false,
  reason: 'ShardsMissing',
  message: 'missing: shard 7 of c/7',
  counts: { partitions: 12, healthy: 11, degraded: 0, lost: 1 },
};
const WHOLE: GridHealth = { ready: true, counts: { partitions: 12, healthy: 12, degraded: 0, lost: 0 } };

const look = (at: number, status: ClassRuntimeStatus, grid: GridHealth | undefined, ready = 1) =>
  decidedAt(at, { ...CLASS, status }, childrenOf(CLASS, { 'hello-odgm': ready }), [], { grid });

test('CRT-K20 CRT-D38 a data grid that lacks a shard is not ready; after 60 s the class is degraded', () => {
  const started = look(30, statusOf(CLASS, 'progressing', 'Progressing', 0), LACKING);
  expect(started).toMatchObject({ phase: 'progressing' });
  expect(started.message).toBe('Deployment/hello-odgm ShardsMissing missing: shard 7 of c/7');
  const { status = {} } = started.decision;
  expect(status.odgm).toMatchObject({ partitions: 12, lost: 1, unhealthy_since: timeAt(30) });
  expect(status.conditions?.find(({ type }) => type === 'OdgmReady')).toMatchObject({
    status: 'False',
    reason: 'ShardsMissing',
  });
  expect(look(89, status, LACKING)).toMatchObject({ phase: 'progressing', requeue: 1 });
  const late = look(90, status, LACKING);
  expect(late).toMatchObject({
    phase: 'degraded',
    reason: 'OdgmUnhealthy',
    events: ['Warning OdgmUnhealthy'],
  });
  const healed = look(100, late.decision.status ?? {}, WHOLE);
  expect(healed).toMatchObject({ phase: 'progressing', reason: 'Recovering' });
  expect(isConditionTrue(healed.decision.status?.conditions, 'OdgmReady')).toBe(true);
  expect(healed.decision.status?.odgm).not.toHaveProperty('unhealthy_since');
});

test('a data grid that falls silent has the grace of lost readiness, too', () => {
  const { decision } = look(0, statusOf(CLASS, 'progressing', 'Progressing', 0), { ready: true });
  const silent = look(900, decision.status ?? {}, SILENT);
  expect(silent).toMatchObject({ phase: 'available', requeue: 15 });
  expect(look(915, silent.decision.status ?? {}, SILENT)).toMatchObject({ reason: 'ReadinessLost' });
});

test('while its pod is not ready, that is the reason', () => {
  const told = look(30, statusOf(CLASS, 'progressing', 'Progressing', 0), LACKING, 0);
  expect(told.message).toContain('Deployment/hello-odgm Unavailable');
  expect(told.decision.status?.odgm).not.toHaveProperty('unhealthy_since');
});

test('after a restart the last known health holds, and writes nothing', () => {
  const { status = {} } = look(30, statusOf(CLASS, 'progressing', 'Progressing', 0), LACKING).decision;
  expect(storedGrid(status)).toEqual(LACKING);
  expect(look(60, status, storedGrid(status)).decision.status).toEqual(status);
  expect(storedGrid({})).toBeUndefined();
});

test('nothing is asked of a class without a data grid, or where that is disabled', () => {
  const none = decidedAt(
    9,
    { ...classOf(), status: statusOf(classOf(), 'progressing', 'Progressing', 0) },
    childrenOf(classOf()),
  );
  expect(none.decision.status?.conditions?.some(({ type }) => type === 'OdgmReady')).toBe(false);
  const unasked = look(9, statusOf(CLASS, 'progressing', 'Progressing', 0), undefined);
  expect(unasked).toMatchObject({ phase: 'available' });
  expect(unasked.decision.status).not.toHaveProperty('odgm');
});
