import type { Operator, OperatorCommand } from '../kit/operator.ts';

const CHILD = 'what the controller changes: configmap/web, deploy/web, widgets.example.com/one';
const OWNER = { '<kind/name>': 'the owner: site/web, deployment/web' };
const PARENT = {
  '--parent <kind/name>': {
    help: 'the parent; default: the controller owner. Needed for a child that does not exist yet',
  },
  '--address <address>': {
    help: 'a resource in the Terraform plan of <kind/name>, which is the parent: aws_instance.web[0]; or *, for all',
  },
};

const commands: readonly OperatorCommand[] = [
  {
    name: 'drift list',
    summary: 'list recent drift: changes by controllers whose parent had not changed',
    isList: true,
    finds: 'drift that nobody has approved or rejected',
    examples: [
      ['drift list -n shop', 'the drift of the last hour'],
      ['drift list -A', 'that of all namespaces, also of objects without one'],
    ],
    run: async (...call) => (await import('./commands/list.ts')).list(...call),
  },
  {
    name: 'drift show',
    summary: 'show an object: its mode, parent, trace and drift, and what to do about it',
    arguments: { '<kind/name>': 'any tracked object: configmap/web, deploy/web, site/web' },
    hasOutput: true,
    examples: [['drift show configmap/web -n shop', 'who changed it, why, and what is denied']],
    run: async (...call) => (await import('./commands/show.ts')).show(...call),
  },
  {
    name: 'drift explain',
    summary: 'explain an object field by field: who set it, when, and why that was allowed',
    arguments: { '<kind/name>': 'any object: deployment/web, configmap/web' },
    hasOutput: true,
    examples: [['drift explain deployment/web -n shop', 'why each field of its spec is as it is']],
    run: async (...call) => (await import('./commands/explain.ts')).explain(...call),
  },
  {
    name: 'drift simulate',
    summary: 'replay the logged drift of a namespace against approval policies before they are created',
    options: {
      '-f, --filename <file>': { help: 'ApprovalPolicies and ClusterApprovalPolicies; - is standard input' },
    },
    hasOutput: true,
    examples: [['drift simulate -f policy.yaml -n shop', 'what the policy would have approved']],
    run: async (...call) => (await import('./commands/simulate.ts')).simulate(...call),
  },
  {
    name: 'drift plan',
    writes: 'own',
    summary:
      'whether a plan of Terraform or OpenTofu may be applied; exits with 1 if it is denied, with 2 on errors',
    errorExitCode: 2,
    arguments: {
      '<kind/name>': 'the object that stands for what the plan changes: terraform/network, site/web',
    },
    options: {
      '-f, --filename <file>': { help: 'what "terraform show -json PLAN" prints; - is standard input' },
    },
    hasOutput: true,
    examples: [
      [
        'drift plan terraform/network -f plan.json -n shop',
        'is it drift, or destructive, and who may say yes',
      ],
    ],
    leaves: 'an approval of mode once may be reserved for this plan already: run it again',
    run: async (...call) => (await import('./commands/plan.ts')).plan(...call),
  },
  {
    name: 'drift approve',
    writes: 'objects',
    summary: 'approve drift of an object',
    arguments: { '<kind/name>': CHILD },
    options: {
      '--mode <mode>': { help: 'once, generation (until the parent changes) or always', default: 'once' },
      '--reason <text>': { help: 'why; stored in the annotation' },
      ...PARENT,
    },
    examples: [
      ['drift approve configmap/web -n shop', 'allow one such change'],
      [
        "drift approve site/web --address 'aws_instance.web' -n shop",
        'allow one plan to change this resource',
      ],
    ],
    leaves: 'it may be written already: run it again, or look with "kubewright drift show"',
    run: async (...call) => (await import('./commands/approve.ts')).approve(...call),
  },
  {
    name: 'drift reject',
    writes: 'objects',
    summary: 'reject drift of an object, in mode log too',
    arguments: { '<kind/name>': CHILD },
    options: { '--reason <text>': { help: 'why; shown to the denied client' }, ...PARENT },
    leaves: 'it may be written already: run it again, or look with "kubewright drift show"',
    run: async (...call) => (await import('./commands/approve.ts')).reject(...call),
  },
  {
    name: 'drift freeze',
    writes: 'objects',
    summary: 'deny every change of what an object owns, by any user',
    arguments: OWNER,
    options: { '--reason <text>': { help: 'why; shown to the denied client' } },
    examples: [['drift freeze site/web --reason incident -n shop', 'nobody changes what the Site owns']],
    leaves: 'it may be written already: run it again, or look with "kubewright drift show"',
    run: async (...call) => (await import('./commands/freeze.ts')).freeze(...call, true),
  },
  {
    name: 'drift unfreeze',
    writes: 'objects',
    summary: 'end a freeze',
    arguments: OWNER,
    leaves: 'it may be written already: run it again, or look with "kubewright drift show"',
    run: async (...call) => (await import('./commands/freeze.ts')).freeze(...call, false),
  },
  {
    name: 'drift snooze',
    writes: 'objects',
    summary: 'send no Events and reports about drift of what an object owns, for a time',
    arguments: OWNER,
    options: {
      '--for <time>': { help: 'how long, up to 720h: 30m, 8h, 1h30m; 0 ends it', default: '1h' },
      '--reason <text>': { help: 'why; stored in the annotation' },
    },
    examples: [['drift snooze site/web --for 8h -n shop', 'decide on it tomorrow: it stays denied, quietly']],
    leaves: 'it may be written already: run it again, or look with "kubewright drift show"',
    run: async (...call) => (await import('./commands/snooze.ts')).snooze(...call),
  },
  {
    name: 'drift doctor',
    summary:
      'check what drift needs: policies, webhook, certificates, rights, accounts of controllers, clocks',
    options: { '--policy <name>': { help: 'only what concerns this policy' } },
    hasOutput: true,
    examples: [
      ['drift doctor', 'what keeps drift from working, and how to put it right'],
      ['drift doctor --policy shop', 'what it would deny, and below which kinds of parents it finds drift'],
    ],
    run: async (...call) => (await import('./commands/doctor/run-doctor.ts')).runDoctor(...call),
  },
];

/** Detects, traces and denies drift: changes by controllers that no change of the parent explains. */
export const operator: Operator = {
  name: 'drift',
  summary:
    'detects drift: changes by controllers whose parent has not changed; denies or reports it, and traces the rest',
  settings: {
    DRIFT_REPORTS:
      'JSON: where DriftReports are posted, and the folder in which they wait: {"backends":[{"url":"https://…"}],"outbox":"/data"}',
    DRIFT_DECISION_LOG:
      'how many decisions are kept for each parent, for drift explain and drift simulate; 0: none; default 50',
  },
  commands,
  demo: {
    title: 'A controller changes an object that nobody asked it to change',
    next: [
      'kubectl get kausalities',
      'npx kubewright drift list -n demo-drift',
      'kubectl get events -n demo-drift',
    ],
    play: async (stage) => (await import('./demo/play-demo.ts')).playDemo(stage),
  },
  load: async () => (await import('./controller.ts')).driftParts,
};
