import type { Operator, OperatorCommand, ResourceNames } from '../kit/operator.ts';
import { IMAGE } from './demo/consumer-set.ts';
import { SETTING_NAMES } from './setting-names.ts';

const MIGRATION: ResourceNames = {
  plural: 'statefulmigrations',
  singular: 'statefulmigration',
  group: 'migration.ms2m.io',
  shortName: 'sm',
};

const migrate: OperatorCommand = {
  name: 'migrate pod',
  writes: 'objects',
  summary: 'move a pod, with its in-memory state, to another node',
  arguments: { '<name>': 'the pod, of a StatefulSet, a Deployment or of nobody: consumer-0, pod/consumer-0' },
  names: { plural: 'pods', singular: 'pod', shortName: 'po' },
  isDefault: true,
  options: {
    '--to <node>': { help: 'the target node' },
    '--queue <name>': { help: 'the queue of which the pod is the only consumer' },
    '--exchange <name>': { help: 'the exchange that the queue is bound to, or the stream that it reads' },
    '--routing-key <key>': {
      help: 'the routing key of that binding, or the subject in that stream',
      default: '',
    },
    '--strategy <name>': {
      help: 'ShadowPod, or Sequential: the pod ends before its successor starts, as always one with volumes',
      default: '',
    },
    '--broker <url>': { help: 'amqp://HOST:PORT or nats://HOST:PORT, as the operator reaches it' },
    '--broker-secret <name>': {
      help: 'instead, a Secret with the keys url, username, password: ms2m-broker',
    },
  },
  examples: [
    [
      'migrate pod consumer-0 --to node-2 --queue orders-0 --exchange orders --broker amqp://rabbitmq',
      'move consumer-0, and show the progress',
    ],
  ],
  leaves: 'a migration that was made goes on: "kubewright migrate list" shows it',
  run: async (...call) => (await import('./commands/migrate-pod.ts')).migratePod(...call),
};

const { writes: _writes, ...moving } = migrate;

const plan: OperatorCommand = {
  ...moving,
  name: 'migrate plan',
  summary: 'check whether a pod can be moved, and predict pause and duration; nothing is moved',
  isDefault: false,
  hasOutput: true,
  examples: [
    [
      'migrate plan consumer-0 --to node-2 --queue orders-0 --exchange orders --broker amqp://rabbitmq',
      'what moving consumer-0 would be like',
    ],
  ],
  leaves: 'nothing is moved, and the plan goes after a while',
  run: async (...call) => (await import('./commands/plan-migration.ts')).planMigration(...call),
};

const abort: OperatorCommand = {
  name: 'migrate abort',
  writes: 'objects',
  summary: 'abort a migration and undo it, unless the state is already handed over',
  arguments: { '<name>': 'the StatefulMigration' },
  names: MIGRATION,
  examples: [['migrate abort consumer-0-x7k2p -n shop', 'the source pod goes on']],
  leaves: 'the migration may be aborted already: "kubewright migrate list" shows it',
  run: async (...call) => (await import('./commands/abort-migration.ts')).abortMigration(...call),
};

const list: OperatorCommand = {
  name: 'migrate list',
  summary: 'list migrations and their progress',
  isList: true,
  examples: [['migrate list -n shop', 'the migrations and their progress']],
  run: async (...call) => (await import('./commands/list-migrations.ts')).listMigrations(...call),
};

const state: OperatorCommand = {
  name: 'migrate state',
  summary: 'print the state that a migration has taken, and that is still at the broker, as JSON',
  arguments: { '<name>': 'the StatefulMigration' },
  names: MIGRATION,
  examples: [['migrate state consumer-0-x7k2p -n shop', 'the state that no pod could restore']],
  run: async (...call) => (await import('./commands/print-state.ts')).printState(...call),
};

const agent: OperatorCommand = {
  name: 'migrate agent',
  summary: 'run the agent of a node with containerd, which checkpoints containers and moves the archives',
  examples: [['migrate agent', 'what a DaemonSet runs on each node']],
  run: async (call) => (await import('./agent/run-agent.ts')).runAgent(call),
};

const drain: OperatorCommand = {
  name: 'drain',
  writes: 'objects',
  summary: 'cordon a node, move the pods that can be moved with their state, and evict the rest',
  arguments: { '<node>': 'the node' },
  names: { plural: 'nodes', singular: 'node', shortName: 'no' },
  options: {
    '--force': { help: 'evict pods that no controller creates again, too' },
    '--timeout <duration>': { help: 'give up after, as 90s or 5m; 0: never', default: '0' },
  },
  examples: [['drain node-1', 'pods whose annotations name their queue move to other nodes']],
  leaves:
    'the node may be cordoned, and what was begun goes on; run it again to continue, or "kubectl uncordon" the node',
  run: async (...call) => (await import('./commands/drain-node.ts')).drainNode(...call),
};

/** Moves pods, with their in-memory state, under load. */
export const operator: Operator = {
  name: 'migration',
  summary: 'moves pods with their state to other nodes; applies each message exactly once',
  settings: SETTING_NAMES,
  commands: [migrate, plan, abort, list, state, agent, drain],
  demo: {
    title: 'A pod moves to another node with its in-memory state, under load',
    images: { [IMAGE]: '@kubewright/operators/demo-consumer' },
    // Its broker is in the process of the demo.
    settings: { MS2M_BROKERS: '127.0.0.1' },
    next: [
      'npx kubewright migrate list -n demo-migration',
      'kubectl get pods,statefulsets,statefulmigrations -n demo-migration -o wide',
      'kubectl logs consumer-0 -n demo-migration --tail 1',
    ],
    play: async (stage) => (await import('./demo/play-demo.ts')).playDemo(stage),
  },
  load: async () => (await import('./controller.ts')).migrationParts,
};
