import type { Operator, OperatorCommand } from '../kit/operator.ts';
import { SETTING_NAMES } from './setting-names.ts';

const list: OperatorCommand = {
  name: 'class list',
  summary: 'list ClassRuntimes with phase, reason and recommended replicas',
  hasOutput: true,
  examples: [['class list -n shop', 'phases, reasons and recommendations of all classes']],
  run: async (...call) => (await import('./explain/run-class-explain.ts')).runClassList(...call),
};

const explain: OperatorCommand = {
  name: 'class explain',
  summary: 'explain the phase of a ClassRuntime: the decisive row of the table, and the next timer',
  arguments: { '<name>': 'a ClassRuntime' },
  hasOutput: true,
  examples: [['class explain cart -n shop', 'why it is degraded, and what happens next']],
  run: async (...call) => (await import('./explain/run-class-explain.ts')).runClassExplain(...call),
};

/** Deploys ClassRuntimes as Deployments and Services, reports their phases and conditions, and scales them. */
export const operator: Operator = {
  name: 'classes',
  summary: 'deploys ClassRuntimes, reports their health and scales them',
  settings: SETTING_NAMES,
  commands: [list, explain],
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
