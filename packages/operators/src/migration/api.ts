import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';

// Fields of spec and status are those of the original API; additions are marked.

export const GROUP = 'migration.ms2m.io';
export const FINALIZER = 'migration.ms2m.io/handover';
/** The component that emits Events, and the field manager. */
export const COMPONENT = 'ms2m-migration';

export const LABELS = {
  /** On every pod of a migration: the uid of the StatefulMigration. On the source pod it is the lock. */
  migration: 'migration.ms2m.io/migration',
  /** The role of the pod, see {@link ROLES}. */
  role: 'migration.ms2m.io/role',
} as const;

export const ROLES = {
  /** The pod that is migrated. */
  source: 'source',
  /** Keeps the state while the StatefulSet replaces the pod. */
  shadow: 'shadow',
  /** Created by the StatefulSet, changed at admission; it stays. */
  restored: 'restored',
} as const;

/** On a replacement: the handover (`status.handover.epoch`) that it is for. */
export const EPOCH_ANNOTATION = 'migration.ms2m.io/epoch';

const count = s.integer({ minimum: 0, format: 'int64' });

const seconds = s.integer({ minimum: 1, format: 'int32' });

const CONSISTENCIES = ['ExactlyOnce', 'AtLeastOnce', 'BestEffort'] as const;

const messageQueueConfig = s.object(
  {
    queueName: s.string({
      default: '',
      description: 'The queue of the source pod, its only consumer.',
    }),
    brokerUrl: s.string({
      default: '',
      description: 'amqp://HOST:PORT. Visible to everybody who may read the object.',
    }),
    exchangeName: s.string({ default: '', description: 'The exchange that the queue is bound to.' }),
    routingKey: s.string({ default: '', description: 'The routing key of that binding.' }),
  },
  { default: {} },
);

/** Fields that the migration depends on are immutable. */
const IMMUTABLE = [
  'sourcePod',
  'containerName',
  'targetNode',
  'messageQueueConfig',
  'migrationStrategy',
  'dryRun',
];

const spec = s.object(
  {
    sourcePod: s.string({ default: '' }),
    containerName: s.string({ default: '', description: 'Default: the first container.' }),
    targetNode: s.string({ default: '' }),
    checkpointImageRepository: s.optional(
      s.string({
        description: 'Ignored, of the original API: the state goes through the broker, not into an image.',
      }),
    ),
    replayCutoffSeconds: s.optional(
      s.integer({
        minimum: 0,
        format: 'int32',
        description: 'Switch over after this time even if the target lags behind.',
      }),
    ),
    replayMode: s.optional(
      s.string({
        description: 'Ignored, of the original API: messages are always replayed from the mirror queue.',
      }),
    ),
    messageQueueConfig,
    migrationStrategy: s.string({ default: '', description: 'Only ShadowPod, the default, is supported.' }),
    transferMode: s.optional(
      s.string({ description: 'Ignored, of the original API: the state always goes through the broker.' }),
    ),
    identitySwapMode: s.optional(
      s.string({
        description: 'Ignored, of the original API: the StatefulSet always creates the pod that takes over.',
      }),
    ),
    abort: s.boolean({
      default: false,
      description: 'Addition: abort and undo, unless the state is already handed over.',
    }),
    dryRun: s.boolean({
      default: false,
      description: 'Addition: only check the requirements, and predict pause and duration in status.plan.',
    }),
    consistency: s.optional(
      s.oneOf(CONSISTENCIES, {
        description: 'Addition: the least that is required. ExactlyOnce, which is always given, meets all.',
      }),
    ),
    deadlines: s.optional(
      s.object(
        { stepSeconds: s.optional(seconds), pauseSeconds: s.optional(seconds) },
        { description: 'Addition: override MS2M_STEP_SECS and MS2M_PAUSE_SECS.' },
      ),
    ),
    ttlSecondsAfterFinished: s.optional(
      s.integer({
        minimum: 0,
        format: 'int32',
        description: 'Addition: delete the StatefulMigration this long after its end; the pod stays.',
      }),
    ),
  },
  {
    validations: IMMUTABLE.map((field) => ({
      rule: `self.${field} == oldSelf.${field}`,
      message: `${field} is immutable`,
    })),
  },
);

const PHASES = [
  'Pending',
  'Checkpointing',
  'Transferring',
  'Restoring',
  'Replaying',
  'Finalizing',
  'Aborting',
  'Completed',
  'Failed',
  'Rejected',
  'Aborted',
] as const;

const member = s.object({
  pod: s.string(),
  uid: s.optional(s.string()),
  instance: s.optional(
    s.string({ description: 'The consumer process; a different one has lost the state.' }),
  ),
});

const handover = s.object(
  {
    epoch: count,
    from: member,
    to: member,
    mirror: s.string({ description: 'The queue that receives the same messages for the target pod.' }),
    snapshot: s.optional(s.object({ queue: s.string(), chunks: count, bytes: count, sha256: s.string() })),
    snapshotDigest: s.optional(s.string()),
    sent: s.optional(s.string({ description: 'The step whose command was sent.' })),
    lag: s.optional(s.object({ least: count, since: s.time() })),
    cut: s.optional(
      s.object({
        watermarks: s.record(count, { description: 'Highest applied number of each producer.' }),
        digest: s.string(),
        targetDigest: s.optional(s.string()),
        time: s.time(),
      }),
    ),
    committed: s.boolean({ default: false }),
  },
  { description: 'Addition: the current handover of the state from one pod to another.' },
);

const entry = s.object({
  step: s.string(),
  epoch: count,
  startTime: s.time(),
  completionTime: s.optional(s.time()),
});

const sample = s.object(
  { number: count, applied: s.optional(count), time: s.optional(count) },
  { description: 'Addition: the start of the measurement for `plan`; time in Unix milliseconds.' },
);

const plan = s.object(
  {
    strategy: s.string(),
    consistency: s.oneOf(CONSISTENCIES),
    backlog: s.integer({ minimum: 0, format: 'int64', description: 'Messages in the queue.' }),
    messagesPerSecond: s.integer({ minimum: 0, format: 'int64', description: 'Applied by the source pod.' }),
    podStartSeconds: s.integer({ minimum: 0, format: 'int64', description: 'What the source pod took.' }),
    pauseSeconds: s.integer({
      minimum: 0,
      format: 'int64',
      description: 'The longest time without consumption.',
    }),
    totalSeconds: count,
  },
  { description: 'Addition: what a migration would be like, by `spec.dryRun`.' },
);

const ADOPTIONS = ['transferring', 'replacing', 'replaying', 'adopted'] as const;

const status = s.object({
  phase: s.optional(s.oneOf(PHASES)),
  message: s.optional(s.string()),
  conditions: s.optional(s.conditions()),
  observedGeneration: s.optional(count),
  startTime: s.optional(s.time()),
  completionTime: s.optional(s.time({ description: 'Addition.' })),
  sourceNode: s.optional(s.string()),
  containerName: s.optional(s.string()),
  statefulSetName: s.optional(s.string()),
  targetPod: s.optional(s.string()),
  replacementPod: s.optional(s.string()),
  originalReplicas: s.optional(
    s.integer({ format: 'int32', description: 'Of the StatefulSet, which is not scaled.' }),
  ),
  swapSubPhase: s.optional(s.string()),
  adoptionSubPhase: s.optional(
    s.oneOf(ADOPTIONS, { description: 'How far the StatefulSet’s own pod has taken over from the shadow.' }),
  ),
  checkpointID: s.optional(
    s.string({
      description: 'sha256 of the state that the source handed over first. In the original: a path.',
    }),
  ),
  reCheckpointID: s.optional(s.string({ description: 'The same, of the shadow.' })),
  phaseTimings: s.optional(
    s.record(s.string(), { description: 'How long each phase took, as a Go duration: 12s.' }),
  ),
  phaseTime: s.optional(s.time({ description: 'Addition: when the current phase started.' })),
  consistency: s.optional(
    s.oneOf(CONSISTENCIES, { description: 'Addition: what this migration guarantees.' }),
  ),
  progress: s.optional(
    s.integer({ minimum: 0, maximum: 100, description: 'Addition: percent of the steps.' }),
  ),
  sample: s.optional(sample),
  plan: s.optional(plan),
  sourcePodUID: s.optional(s.string({ description: 'Addition.' })),
  statefulSetUID: s.optional(s.string({ description: 'Addition.' })),
  step: s.optional(s.string({ description: 'Addition: the current step.' })),
  stepTime: s.optional(s.time({ description: 'Addition: when the current step started.' })),
  steps: s.optional(s.list(entry, { description: 'Addition: the steps so far, the newest last.' })),
  handover: s.optional(handover),
  handedOver: s.boolean({
    default: false,
    description:
      'Addition: a pod other than the source has the state; the migration can no longer be undone.',
  }),
  outcome: s.optional(
    s.object(
      { phase: s.oneOf(['Failed', 'Aborted']), reason: s.string(), message: s.string() },
      { description: 'Addition: the outcome, once everything is undone.' },
    ),
  ),
  messages: s.optional(
    s.object(
      { applied: count, duplicates: count, gaps: count, behind: count },
      { description: 'Addition: messages applied by the target pod, by its own count.' },
    ),
  ),
});

const statefulMigration = s.object({ spec, status: s.optional(status) });

/** Moves a pod, with its in-memory state, to another node. */
export const STATEFUL_MIGRATIONS = customResource({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'StatefulMigration',
  plural: 'statefulmigrations',
  shortNames: ['sm'],
  scope: 'Namespaced',
  schema: statefulMigration,
  columns: [
    { name: 'Pod', type: 'string', jsonPath: '.spec.sourcePod' },
    { name: 'From', type: 'string', jsonPath: '.status.sourceNode' },
    { name: 'To', type: 'string', jsonPath: '.spec.targetNode' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Step', type: 'string', jsonPath: '.status.step' },
    { name: 'Progress', type: 'integer', jsonPath: '.status.progress' },
    { name: 'Behind', type: 'integer', jsonPath: '.status.messages.behind' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
  ],
});

export type StatefulMigration = Stored<CustomObject<Infer<typeof statefulMigration>>>;
export type MigrationStatus = Infer<typeof status>;
export type Handover = Infer<typeof handover>;
export type Plan = NonNullable<MigrationStatus['plan']>;
export type Adoption = (typeof ADOPTIONS)[number];
export type Outcome = NonNullable<MigrationStatus['outcome']>;
export type Phase = (typeof PHASES)[number];

const TERMINAL: ReadonlySet<Phase> = new Set<Phase>(['Completed', 'Failed', 'Rejected', 'Aborted']);

/** Whether the migration is finished. */
export function isTerminal({ phase }: Pick<MigrationStatus, 'phase'>): boolean {
  return phase !== undefined && TERMINAL.has(phase);
}
