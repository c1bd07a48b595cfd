import type { OdgmConfig } from '../api.ts';

type Assignment = NonNullable<OdgmConfig['collection_assignments']>[string][number];
type Counts = Pick<OdgmConfig, 'partition_count' | 'replica_count'>;

/** Explicit shard assignments of a collection. None where they contradict its counts: then the data grid assigns them. */
export function shardAssignments(
  assignments: readonly Assignment[],
  { partition_count, replica_count }: Counts,
): readonly object[] {
  const shards = assignments.flatMap(({ shard_ids = [] }) => shard_ids);
  const isWhole =
    assignments.length === partition_count &&
    new Set(shards).size === shards.length &&
    assignments.every((each) => isConsistent(each, replica_count));
  if (!isWhole) return [];
  return assignments.map(({ primary, replica = [], shard_ids = [] }) => ({
    ...(primary === undefined ? {} : { primary }),
    replica,
    shard_ids,
  }));
}

function isConsistent({ primary, replica = [], shard_ids = [] }: Assignment, replicas: number): boolean {
  if (replica.length !== replicas || shard_ids.length !== replicas) return false;
  return primary === undefined || shard_ids.includes(primary);
}
