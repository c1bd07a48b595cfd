import type { OdgmConfig } from '../api.ts';
import { GRID_LIMITS } from '../schema/odgm-config.ts';
import { shardAssignments } from '../templates/shard-assignments.ts';

/** One partition of a collection, as it is configured. */
export type Partition = {
  readonly collection: string;
  readonly partition: number;
  /** On all nodes. */
  readonly replicas: number;
  /** The ids of the shards that this node has; absent where the data grid assigns them, and one node has all. */
  readonly local?: readonly string[] | undefined;
};

/** The partitions of which this node has a part, within what the definition allows now: a class may be older. None where nobody knows which: several nodes share what is not assigned. */
export function expectedPartitions(config: OdgmConfig | undefined): readonly Partition[] {
  if (config === undefined) return [];
  const bounded = {
    ...config,
    partition_count: Math.min(config.partition_count, GRID_LIMITS.partitions),
    replica_count: Math.min(config.replica_count, GRID_LIMITS.replicas),
  };
  const collections = (config.collections ?? []).slice(0, GRID_LIMITS.collections);
  return collections.flatMap((collection) => ofCollection(collection, bounded));
}

function ofCollection(collection: string, config: OdgmConfig): readonly Partition[] {
  const { partition_count, replica_count: replicas, node_id, env_node_ids = {} } = config;
  const given = new Map(Object.entries(config.collection_assignments ?? {})).get(collection) ?? [];
  const isAssigned = shardAssignments(given, config).length > 0;
  if (!isAssigned && new Set(Object.values(env_node_ids).flat()).size > 1) return [];
  return Array.from({ length: partition_count }, (_, partition) => {
    const { replica = [], shard_ids = [] } = given[partition] ?? {};
    // Without an id of its own, the node is the only one.
    const isLocal = (index: number): boolean => node_id === undefined || replica[index] === node_id;
    const local = shard_ids.filter((_id, index) => isLocal(index)).map(String);
    return { collection, partition, replicas, local: isAssigned ? local : undefined };
  });
}
