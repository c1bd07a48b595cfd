import { describe, expect, test } from 'vitest';
import { countSteps } from '../../kit/testing/count-steps.ts';
import type { OdgmConfig } from '../api.ts';
import { expectedPartitions } from './expected-partitions.ts';
import { gridHealth } from './grid-health.ts';
import type { Shard } from './grid-probe.ts';

const assigned = (partitions: number, nodes: readonly number[] = [1]): OdgmConfig => ({
  collections: ['c'],
  partition_count: partitions,
  replica_count: nodes.length,
  node_id: 1,
  env_node_ids: { here: nodes },
  collection_assignments: {
    c: Array.from({ length: partitions }, (_, at) => ({
      replica: nodes,
      shard_ids: nodes.map((_node, index) => at * nodes.length + index),
    })),
  },
});
const shard = (partition: number, id = partition): Shard => ({
  collection: 'c',
  partition,
  shard: String(id),
});
const all = (count: number): readonly Shard[] => Array.from({ length: count }, (_, at) => shard(at));

describe('the shards of a data grid', () => {
  test('CRT-K20 shard 7 of 0 to 11 is missing', () => {
    const partitions = expectedPartitions(assigned(12));
    expect(gridHealth(partitions, all(12))).toEqual({
      ready: true,
      counts: { partitions: 12, healthy: 12, degraded: 0, lost: 0 },
    });
    const without = all(12).filter(({ partition }) => partition !== 7);
    expect(gridHealth(partitions, without)).toEqual({
      ready: false,
      reason: 'ShardsMissing',
      message: 'missing: shard 7 of c/7',
      counts: { partitions: 12, healthy: 11, degraded: 0, lost: 1 },
    });
  });

  test('of three nodes only the shards of this one are expected here', () => {
    const partitions = expectedPartitions(assigned(2, [1, 2, 3]));
    expect(partitions.map(({ local }) => local)).toEqual([['0'], ['3']]);
    expect(gridHealth(partitions, [shard(0, 0), shard(1, 3)]).ready).toBe(true);
    // Two of three are a quorum.
    expect(gridHealth(partitions, [shard(0, 0)])).toMatchObject({
      ready: false,
      counts: { healthy: 1, degraded: 1, lost: 0 },
    });
  });

  test('those of other nodes count where somebody knows them', () => {
    const partitions = expectedPartitions(assigned(1, [1, 2, 3]));
    const here = [shard(0, 0)];
    expect(gridHealth(partitions, here, [shard(0, 0), shard(0, 1)])).toMatchObject({
      ready: true,
      counts: { degraded: 1 },
    });
    expect(gridHealth(partitions, here, here)).toMatchObject({
      ready: false,
      message: '1 of 1 partitions have no quorum',
    });
  });

  test('ids beyond 2^53 are compared as they are', () => {
    const [id, next] = [9_007_199_254_740_993n, 9_007_199_254_740_992n];
    const config = {
      ...assigned(1),
      collection_assignments: { c: [{ replica: [1], shard_ids: [id as never] }] },
    };
    const partitions = expectedPartitions(config);
    const of = (shardId: bigint): Shard => ({ ...shard(0), shard: String(shardId) });
    expect(gridHealth(partitions, [of(id)]).ready).toBe(true);
    expect(gridHealth(partitions, [of(next)]).ready).toBe(false);
  });

  test('where the data grid assigns them, one node has all; of several nodes nothing is known', () => {
    const config = { collections: ['c'], partition_count: 2, replica_count: 1 };
    expect(gridHealth(expectedPartitions(config), [shard(0, 41)])).toMatchObject({
      ready: false,
      message: 'missing: a shard of c/1',
    });
    expect(expectedPartitions({ ...config, env_node_ids: { a: [1], b: [2] } })).toEqual([]);
    expect(gridHealth([], [])).toMatchObject({ ready: true });
  });
});

test('a class that says it has two billion partitions costs no more than one with a thousand', () => {
  const config = { collections: ['c'], partition_count: 2 ** 31 - 1, replica_count: 2 ** 31 - 1 };
  const partitions = expectedPartitions(config);
  expect(partitions).toHaveLength(1024);
  expect(gridHealth(partitions, [])).toMatchObject({ ready: false, reason: 'ShardsMissing' });
});

test('as many shards as a data grid may name are looked at once', () => {
  const partitions = expectedPartitions({ collections: ['c'], partition_count: 1000, replica_count: 1 });
  const shards = all(10_000);
  expect(countSteps(() => gridHealth(partitions, shards, shards))).toBeLessThan(1_000_000);
});
