import type { Partition } from './expected-partitions.ts';
import type { Shard } from './grid-probe.ts';

/** Partitions by the replicas that are alive: all, most, or too few for a quorum. */
type PartitionCounts = {
  readonly partitions: number;
  readonly healthy: number;
  readonly degraded: number;
  readonly lost: number;
};

/** What was last found of a data grid. */
export type GridHealth = {
  readonly ready: boolean;
  readonly reason?: 'OdgmStarting' | 'ShardsMissing';
  readonly message?: string;
  /** Absent: shards were not looked at. */
  readonly counts?: PartitionCounts;
};

/** More names would make the message unreadable. */
const MOST_NAMED = 5;

/** A data grid that does not respond. Why differs from call to call: it is in the log. */
export const SILENT: GridHealth = { ready: false, reason: 'OdgmStarting', message: 'it does not respond' };

/** Compares the configured partitions with the shards that this node has, and with those of all nodes, if they are known. */
export function gridHealth(
  expected: readonly Partition[],
  shards: readonly Shard[],
  alive?: readonly Shard[],
): GridHealth {
  const [here, everywhere] = [byPartition(shards), alive && byPartition(alive)];
  const states = expected.map((partition) => stateOf(partition, here, everywhere));
  const count = (state: PartitionState['state']): number =>
    states.filter((each) => each.state === state).length;
  const counts = {
    partitions: states.length,
    healthy: count('healthy'),
    degraded: count('degraded'),
    lost: count('lost'),
  };
  const missing = states.flatMap((each) => each.missing);
  if (missing.length === 0 && counts.lost === 0) return { ready: true, counts };
  const named = missing.slice(0, MOST_NAMED).join(', ');
  const rest = missing.length > MOST_NAMED ? ` and ${missing.length - MOST_NAMED} more` : '';
  const message =
    missing.length > 0
      ? `missing: ${named}${rest}`
      : `${counts.lost} of ${counts.partitions} partitions have no quorum`;
  return { ready: false, reason: 'ShardsMissing', message, counts };
}

type PartitionState = {
  readonly state: 'healthy' | 'degraded' | 'lost';
  /** Shards of this node. */
  readonly missing: readonly string[];
};

type Shards = ReadonlyMap<string, readonly Shard[]>;

const keyOf = ({ collection, partition }: Pick<Shard, 'collection' | 'partition'>): string =>
  `${partition} ${collection}`;

/** A data grid may name any number. */
function byPartition(shards: readonly Shard[]): Shards {
  const found = new Map<string, Shard[]>();
  for (const shard of shards) {
    const same = found.get(keyOf(shard));
    if (same === undefined) found.set(keyOf(shard), [shard]);
    else same.push(shard);
  }
  return found;
}

function stateOf(partition: Partition, shards: Shards, alive: Shards | undefined): PartitionState {
  const here = (shards.get(keyOf(partition)) ?? []).map(({ shard }) => shard);
  const missing = missingOf(partition, here);
  const others = alive && (alive.get(keyOf(partition)) ?? []).length;
  const live = Math.min(partition.replicas, others ?? partition.replicas - missing.length);
  return { missing, state: stateBy(live, partition.replicas) };
}

function missingOf(
  { collection, partition, replicas, local }: Partition,
  here: readonly string[],
): readonly string[] {
  const known = new Set(here);
  if (local !== undefined)
    return local
      .filter((shard) => !known.has(shard))
      .map((shard) => `shard ${shard} of ${collection}/${partition}`);
  // Where the data grid gives the ids, only their number is known.
  const lacking = Math.max(0, replicas - here.length);
  return Array.from({ length: lacking }, () => `a shard of ${collection}/${partition}`);
}

/** A majority of the replicas is a quorum. */
function stateBy(live: number, replicas: number): PartitionState['state'] {
  if (live >= replicas) return 'healthy';
  return live > replicas / 2 ? 'degraded' : 'lost';
}
