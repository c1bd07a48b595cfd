import type { Operator, OperatorCommand } from '../kit/operator.ts';

const CHILD = 'what the controller changes: configmap/web, deploy/web, widgets.example.com/one';
const PARENT = {
  '--parent <kind/name>': {
    help: 'what owns it; default: its controller owner. For a child that is still to come',
  },
};

const commands: readonly OperatorCommand[] = [
  {
    name: 'drift list',
    summary: 'show what controllers changed, or tried to, although nobody asked them to',
    hasOutput: true,
    examples: [['drift list -n shop', 'what controllers change unasked']],
    run: async (...call) => (await import('./commands/list.ts')).list(...call),
  },
  {
    name: 'drift approve',
    summary: 'let an unasked change of an object through',
    arguments: { '<kind/name>': CHILD },
    options: {
      '--mode <mode>': { help: 'once, generation (until the parent changes) or always', default: 'once' },
      '--reason <text>': { help: 'why; it stands in the annotation' },
      ...PARENT,
    },
    examples: [['drift approve configmap/web -n shop', 'let one such change through']],
    run: async (...call) => (await import('./commands/approve.ts')).approve(...call),
  },
  {
    name: 'drift reject',
    summary: 'deny unasked changes of an object, in mode log too',
    arguments: { '<kind/name>': CHILD },
    options: { '--reason <text>': { help: 'why; whoever is denied reads it' }, ...PARENT },
    run: async (...call) => (await import('./commands/approve.ts')).reject(...call),
  },
  {
    name: 'drift freeze',
    summary: 'deny every change of what an object owns, whoever makes it',
    arguments: { '<kind/name>': 'the owner: site/web, deployment/web' },
    options: { '--reason <text>': { help: 'why; whoever is denied reads it' } },
    run: async (...call) => (await import('./commands/freeze.ts')).freeze(...call, true),
  },
  {
    name: 'drift unfreeze',
    summary: 'end a freeze',
    arguments: { '<kind/name>': 'the owner: site/web, deployment/web' },
    run: async (...call) => (await import('./commands/freeze.ts')).freeze(...call, false),
  },
];

/** Judges the changes that controllers make: who asked for them, and what to do with those that nobody asked for. */
export const operator: Operator = {
  name: 'drift',
  summary:
    'denies or reports what controllers change although nobody changed its parent, and traces the rest',
  commands,
  demo: {
    title: 'A controller changes what nobody asked it to change',
    next: [
      'kubectl get kausalities',
      'npx kubewright drift list -n demo-drift',
      'kubectl get events -n demo-drift',
    ],
    play: async (stage) => (await import('./demo/play-demo.ts')).playDemo(stage),
  },
  load: async () => (await import('./controller.ts')).driftParts,
};
