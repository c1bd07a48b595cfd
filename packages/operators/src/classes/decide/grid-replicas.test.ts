import { describe, expect, test } from 'vitest';
import type { ClassRuntime } from '../api.ts';
import type { GridHealth } from '../grid/grid-health.ts';
import { at, childrenOf, classOf, decidedAt, statusOf } from '../testing/class-bench.ts';

const counts = { partitions: 12, healthy: 12, degraded: 0, lost: 0 };
const HEALTHY: GridHealth = { ready: true, counts };
const WEAK: GridHealth = { ready: true, counts: { ...counts, healthy: 11, degraded: 1 } };

/** A class that is available, whose data grid uses `cpu` millicores; `dimensions`: those that are enforced. */
function look(
  cpu: number | undefined,
  grid: GridHealth,
  dimensions: readonly string[],
  before?: ClassRuntime['status'],
) {
  const bare = classOf({ odgm: true });
  const runtime = {
    ...bare,
    spec: { ...bare.spec, enforcement: { mode: 'enforce', dimensions: [...dimensions] } },
  };
  const status = before ?? statusOf(runtime, 'available', 'Ready', 0);
  const load = cpu === undefined ? undefined : { cpu, at: at(900).getTime(), generation: 1 };
  const loads = { uid: 'u-1', functions: new Map(), grid: load };
  return decidedAt(900, { ...runtime, status }, childrenOf(runtime), [], { grid, load: loads });
}

describe('the nodes of a data grid', () => {
  test('CRT-A17 CRT-D39 three are recommended while a partition is degraded: the reason is recorded, and nothing is scaled', () => {
    const { decision, action } = look(1100, WEAK, ['odgm_replicas']);
    expect(decision.status).toMatchObject({
      nfr_odgm: { recommended: 3, current: 1, decision: 'PartitionsDegraded' },
      nfr_recommendations: { odgm_replicas: 3 },
    });
    expect(action).toBe('-');
    expect(decision.status?.last_applied_recommendations).toBeUndefined();
  });

  test('CRT-A17 CRT-N28 nor when all are healthy: two pods would own the same shards', () => {
    const { decision, action } = look(1100, HEALTHY, ['odgm_replicas', 'replicas']);
    expect(decision.status?.nfr_odgm).toMatchObject({ recommended: 3, decision: 'NotScalable' });
    expect(action).toBe('-');
  });

  test.each([
    [400, 1, 'NoChange'],
    [600, 3, 'NotScalable'],
    [1600, 5, 'NotScalable'],
  ])('%d millicores need %d nodes, an odd number', (cpu, recommended, decision) => {
    const { status } = look(cpu, HEALTHY, ['odgm_replicas']).decision;
    expect(status?.nfr_odgm).toMatchObject({ recommended, decision });
  });

  test('without a load the last recommendation stays, and nothing is written', () => {
    const { status = {} } = look(1100, HEALTHY, []).decision;
    expect(status.nfr_odgm).toMatchObject({ recommended: 3, decision: 'SkipDimension' });
    expect(look(undefined, HEALTHY, [], status).decision.status).toEqual(status);
  });
});
