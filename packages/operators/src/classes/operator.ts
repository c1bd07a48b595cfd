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
  summary: 'explain the phase of a ClassRuntime: the row of the table that decides, and the next timer',
  arguments: { '<name>': 'a ClassRuntime' },
  hasOutput: true,
  examples: [['class explain cart -n shop', 'why it is degraded, and what happens next']],
  run: async (...call) => (await import('./explain/run-class-explain.ts')).runClassExplain(...call),
};

/** Makes ClassRuntimes into Deployments and Services, keeps their phases and conditions true, and their replicas sized. */
export const operator: Operator = {
  name: 'classes',
  summary: 'makes ClassRuntimes into Deployments and Services, says how they do, and sizes them',
  settings: SETTING_NAMES,
  commands: [list, explain],
  demo: {
    title: 'A class of functions that fails, recovers, and grows with its load',
    next: [
      'npx kubewright class explain cart -n classes-demo',
      'kubectl get classruntimes -n classes-demo -o wide',
    ],
    play: async (stage) => (await import('./demo/play-demo.ts')).playDemo(stage),
  },
  load: async () => (await import('./controller.ts')).classesParts,
};
