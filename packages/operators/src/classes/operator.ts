import type { Operator, OperatorCommand, ResourceNames } from '../kit/operator.ts';
import { SETTING_NAMES } from './setting-names.ts';

const CLASS: ResourceNames = {
  plural: 'classruntimes',
  singular: 'classruntime',
  group: 'oaas.io',
  shortName: 'crt',
};

const list: OperatorCommand = {
  name: 'class list',
  summary: 'list ClassRuntimes with phase, reason and recommended replicas',
  isList: true,
  examples: [['class list -n shop', 'phases, reasons and recommendations of all classes']],
  run: async (...call) => (await import('./commands/list-classes.ts')).listClasses(...call),
};

const explain: OperatorCommand = {
  name: 'class explain',
  summary: 'explain the phase of a ClassRuntime: the decisive row of the table, and what would change it',
  arguments: { '<name>': 'a ClassRuntime' },
  names: CLASS,
  hasOutput: true,
  examples: [['class explain cart -n shop', 'why it is degraded, and what happens next']],
  run: async (...call) => (await import('./explain/run-class-explain.ts')).runClassExplain(...call),
};

const show: OperatorCommand = {
  name: 'class show',
  summary: 'show the functions, objects, conditions and enforced replicas of a ClassRuntime',
  arguments: { '<name>': 'a ClassRuntime' },
  names: CLASS,
  hasOutput: true,
  examples: [['class show cart -n shop', 'addresses of its functions, and what is ready']],
  run: async (...call) => (await import('./commands/show-class.ts')).showClass(...call),
};

const deploy: OperatorCommand = {
  name: 'class deploy',
  writes: 'own',
  summary: 'apply ClassRuntimes of a file and wait until they are available; fail if one is degraded',
  options: {
    '-f, --filename <file>': { help: 'YAML or JSON; - is standard input' },
    '--timeout <duration>': { help: 'how long to wait for each, as 90s or 5m', default: '5m' },
  },
  hasOutput: true,
  examples: [
    ['class deploy -f cart.yaml -n shop --dry-run', 'whether it is valid, and its objects'],
    ['class deploy -f cart.yaml -n shop', 'deploy it, and say when it works, or why not'],
  ],
  leaves: 'classes that were applied are deployed: "kubewright class list" shows them',
  run: async (...call) => (await import('./commands/deploy-class.ts')).deployClass(...call),
};

const plot: OperatorCommand = {
  name: 'class plot',
  summary: 'draw recommended, target and applied replicas of a function over time, as SVG',
  arguments: { '<name>': 'a ClassRuntime' },
  names: CLASS,
  options: {
    '--function <key>': { help: 'one of its functions (default: the first with a recommendation)' },
    '--out <file>': { help: 'write the SVG to a file (default: standard output)' },
  },
  hasOutput: true,
  examples: [['class plot cart -n shop --out cart.svg', 'how replicas followed the load']],
  run: async (...call) => (await import('./commands/plot-class.ts')).plotClass(...call),
};

const doctor: OperatorCommand = {
  name: 'class doctor',
  summary:
    'check a source of metrics with the queries of the operator: which signals it has for a ClassRuntime',
  arguments: { '<name>': 'a ClassRuntime' },
  names: CLASS,
  options: {
    '--prometheus <url>': { help: 'as OPRC_CRM_PROM_URL; from here, perhaps by a port-forward' },
    '--token-file <file>': { help: 'a bearer token for it' },
    '--tenant-file <file>': { help: 'the tenant to read, of Mimir and Cortex' },
    '--ca-file <file>': { help: 'its CA, PEM' },
    '--range <range>': { help: 'as OPRC_CRM_PROM_RANGE', default: '10m' },
    '--dialect <dialect>': { help: "otel or legacy: names of Knative's metrics", default: 'otel' },
  },
  hasOutput: true,
  examples: [
    ['class doctor cart -n shop --prometheus http://127.0.0.1:9090', 'what keeps it from being sized'],
  ],
  run: async (...call) => (await import('./commands/doctor/run-class-doctor.ts')).runClassDoctor(...call),
};

/** Deploys ClassRuntimes as Deployments and Services, reports their phases and conditions, and scales them. */
export const operator: Operator = {
  name: 'classes',
  summary: 'deploys ClassRuntimes, reports their health and scales them',
  settings: SETTING_NAMES,
  commands: [list, show, explain, deploy, plot, doctor],
  demo: {
    title: 'A class of functions that fails, recovers, and scales with its load',
    next: [
      'npx kubewright class explain cart -n classes-demo',
      'kubectl get classruntimes -n classes-demo -o wide',
    ],
    play: async (stage) => (await import('./demo/play-demo.ts')).playDemo(stage),
  },
  load: async () => (await import('./controller.ts')).classesParts,
};
