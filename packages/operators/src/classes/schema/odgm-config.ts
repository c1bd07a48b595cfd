import { s } from '@kubewright/kube';
import { described } from '../../kit/described.ts';

const { flag, int64, text } = described;

const nodeId = () => int64('The id of a node of the data grid.');
const shardId = () => int64('The id of a shard.');

const fnRoute = s.object(
  {
    url: text(
      'Where the data grid invokes the function. http://NAME without a dot is the Service NAME of the namespace of the class. Empty: filled in from the function that function_key names.',
    ),
    wasm_module_url: s.optional(text('Where the data grid loads the WASM module of the function from.')),
    stateless: s.optional(
      flag('Whether the function is stateless; passed on to the data grid. Default: true.'),
    ),
    standby: s.optional(
      flag('Whether the function is on standby; passed on to the data grid. Default: false.'),
    ),
    active_group: s.optional(
      s.list(nodeId(), {
        description: 'The nodes of its active group; passed on to the data grid. Default: empty.',
      }),
    ),
    function_key: s.optional(
      text('The function of spec.functions that an empty url stands for. It is not passed to the data grid.'),
    ),
  },
  { description: 'One route.' },
);

const shardAssignment = s.object(
  {
    primary: s.optional(
      int64('The id of the shard that leads the partition; it has to be one of shard_ids.'),
    ),
    replica: s.optional(
      s.list(nodeId(), { description: 'The nodes of the partition, as many as replica_count says.' }),
    ),
    shard_ids: s.optional(
      s.list(shardId(), {
        description: 'The shards of the partition, one for each node, each in one partition only.',
      }),
    ),
  },
  { description: 'The shards of one partition.' },
);

/** Each is looked at, one by one: together no more than a process of everybody can carry. */
export const GRID_LIMITS = { collections: 100, partitions: 1024, replicas: 64 } as const;

export const odgmConfig = s.object(
  {
    collections: s.optional(
      s.list(text('The name of a collection.'), {
        maxItems: GRID_LIMITS.collections,
        description:
          'The collections that the data grid keeps, often only the key of the class. Without any, the other fields but node_id and env_node_ids have no effect.',
      }),
    ),
    partition_count: s.integer({
      minimum: 1,
      maximum: GRID_LIMITS.partitions,
      default: 1,
      description: 'How many partitions each collection has.',
    }),
    replica_count: s.integer({
      minimum: 1,
      maximum: GRID_LIMITS.replicas,
      default: 1,
      description:
        'How many nodes keep each partition. An odd number survives the most failures for its size.',
    }),
    shard_type: s.optional(
      text(
        'How the replicas of a partition agree, as the data grid names it: mst, for example. Default: none.',
      ),
    ),
    invocations: s.optional(
      s.object(
        {
          fn_routes: s.optional(
            s.record(fnRoute, {
              description:
                'Routes by the id of the function: the part of its key behind the last dot. Functions that have none here get one.',
            }),
          ),
          disabled_fn: s.optional(
            s.list(text('The id of a function.'), {
              description: 'Functions that the data grid does not invoke.',
            }),
          ),
        },
        {
          description: 'How the data grid invokes functions. Default: each of spec.functions at its Service.',
        },
      ),
    ),
    options: s.optional(
      s.record(text('The value of the option.'), {
        description: 'Options of the collections, passed on to the data grid as they are.',
      }),
    ),
    log: s.optional(text('What the data grid logs, passed on as the environment variable ODGM_LOG.')),
    env_node_ids: s.optional(
      s.record(s.list(nodeId(), { description: 'The nodes of the environment.' }), {
        description: 'The nodes of the data grid in all environments, by the name of the environment.',
      }),
    ),
    node_id: s.optional(
      int64('The id of the node in this environment. Default: the data grid takes one itself.'),
    ),
    collection_assignments: s.optional(
      s.record(s.list(shardAssignment, { description: 'One for each partition, in their order.' }), {
        description:
          'Which node keeps which shard, by the name of the collection. Assignments that contradict partition_count or replica_count are left out. Default: the data grid assigns them itself.',
      }),
    ),
  },
  { description: 'The data grid that keeps the objects of the class. Default: one without collections.' },
);
