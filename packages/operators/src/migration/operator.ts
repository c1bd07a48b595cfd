import type { Operator, OperatorCommand } from '../kit/operator.ts';
import { IMAGE } from './demo/consumer-set.ts';
import { SETTING_NAMES } from './setting-names.ts';

const migrate: OperatorCommand = {
  name: 'migrate pod',
  summary: 'move a pod of a StatefulSet, with what it has in memory, to another node',
  arguments: { '<name>': 'the pod: consumer-0, pod/consumer-0' },
  isDefault: true,
  options: {
    '--to <node>': { help: 'the node that it goes to' },
    '--queue <name>': { help: 'the queue that the pod consumes, alone' },
    '--exchange <name>': { help: 'the exchange that the queue is bound to' },
    '--routing-key <key>': { help: 'the key of that binding', default: '' },
    '--broker <url>': { help: 'amqp://HOST:PORT, as the operator reaches it' },
  },
  examples: [
    [
      'migrate pod consumer-0 --to node-2 --queue orders-0 --exchange orders --broker amqp://rabbitmq',
      'move consumer-0, and show how far it is',
    ],
  ],
  run: async (...call) => (await import('./commands/migrate-pod.ts')).migratePod(...call),
};

const list: OperatorCommand = {
  name: 'migrate list',
  summary: 'show the migrations of a namespace',
  hasOutput: true,
  examples: [['migrate list -n shop', 'which pods move, and how far they are']],
  run: async (...call) => (await import('./commands/list-migrations.ts')).listMigrations(...call),
};

/** Moves pods of StatefulSets, with what they have in memory, while messages come in. */
export const operator: Operator = {
  name: 'migration',
  summary: 'moves pods with their state to other nodes, without losing a message or applying one twice',
  settings: SETTING_NAMES,
  commands: [migrate, list],
  demo: {
    title: 'A pod moves to another node, with what it has in memory, while messages come in',
    images: { [IMAGE]: '@kubewright/operators/demo-consumer' },
    next: [
      'npx kubewright migrate list -n demo-migration',
      'kubectl get pods,statefulsets,statefulmigrations -n demo-migration -o wide',
      'kubectl logs consumer-0 -n demo-migration --tail 1',
    ],
    play: async (stage) => (await import('./demo/play-demo.ts')).playDemo(stage),
  },
  load: async () => (await import('./controller.ts')).migrationParts,
};
