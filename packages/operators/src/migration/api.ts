import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';

// Field names of spec and status are those of the original API; what is ours is marked as an addition.

export const GROUP = 'migration.ms2m.io';
export const FINALIZER = 'migration.ms2m.io/handover';
/** As whom Events are recorded, and the field manager of what is written. */
export const COMPONENT = 'ms2m-migration';

export const LABELS = {
  /** On every pod that a migration works with: the UID of the StatefulMigration. On the source pod it is the lock. */
  migration: 'migration.ms2m.io/migration',
  /** What the pod is to the migration, see {@link ROLES}. */
  role: 'migration.ms2m.io/role',
} as const;

export const ROLES = {
  /** It is migrated. */
  source: 'source',
  /** It holds the state while another pod gets the name. */
  shadow: 'shadow',
  /** Made by the StatefulSet, changed at admission; it stays. */
  restored: 'restored',
} as const;

/** On a replacement: the handover (`status.handover.epoch`) that it was made for. */
export const EPOCH_ANNOTATION = 'migration.ms2m.io/epoch';

const count = s.integer({ minimum: 0, format: 'int64' });

const messageQueueConfig = s.object(
  {
    queueName: s.string({
      default: '',
      description: 'The queue of the source pod, which it alone consumes.',
    }),
    brokerUrl: s.string({
      default: '',
      description: 'amqp://HOST:PORT. All who may read the object see it.',
    }),
    exchangeName: s.string({ default: '', description: 'The exchange that the queue is bound to.' }),
    routingKey: s.string({ default: '', description: 'The key of that binding.' }),
  },
  { default: {} },
);

/** What a migration rests on may not change under it. */
const IMMUTABLE = ['sourcePod', 'containerName', 'targetNode', 'messageQueueConfig', 'migrationStrategy'];

const spec = s.object(
  {
    sourcePod: s.string({ default: '' }),
    containerName: s.string({ default: '', description: 'Default: the first container.' }),
    targetNode: s.string({ default: '' }),
    checkpointImageRepository: s.optional(s.string()),
    replayCutoffSeconds: s.optional(
      s.integer({
        minimum: 0,
        format: 'int32',
        description: 'Cut after so long, also if the target is behind.',
      }),
    ),
    replayMode: s.optional(s.string()),
    messageQueueConfig,
    migrationStrategy: s.string({ default: '', description: 'ShadowPod, which is the default.' }),
    transferMode: s.optional(s.string()),
    identitySwapMode: s.optional(s.string()),
    abort: s.boolean({ default: false, description: 'Addition: undo it, unless the state is handed over.' }),
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
    s.string({ description: 'The process that takes part; another one has lost its state.' }),
  ),
});

const handover = s.object(
  {
    epoch: count,
    from: member,
    to: member,
    mirror: s.string({ description: 'The queue that gets the same messages for the pod that takes over.' }),
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
  { description: 'Addition: from which pod to which the state goes now.' },
);

const entry = s.object({
  step: s.string(),
  epoch: count,
  startTime: s.time(),
  completionTime: s.optional(s.time()),
});

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
  swapSubPhase: s.optional(s.string()),
  sourcePodUID: s.optional(s.string({ description: 'Addition.' })),
  statefulSetUID: s.optional(s.string({ description: 'Addition.' })),
  step: s.optional(s.string({ description: 'Addition: what is done now.' })),
  stepTime: s.optional(s.time({ description: 'Addition: since when.' })),
  steps: s.optional(s.list(entry, { description: 'Addition: the journal, the newest last.' })),
  handover: s.optional(handover),
  handedOver: s.boolean({
    default: false,
    description: 'Addition: a pod other than the source has the state, and there is no way back.',
  }),
  outcome: s.optional(
    s.object(
      { phase: s.oneOf(['Failed', 'Aborted']), reason: s.string(), message: s.string() },
      { description: 'Addition: how it will end when all is undone.' },
    ),
  ),
  messages: s.optional(
    s.object(
      { applied: count, duplicates: count, gaps: count, behind: count },
      { description: 'Addition: what the pod that takes over has applied, of its own count.' },
    ),
  ),
});

const statefulMigration = s.object({ spec, status: s.optional(status) });

/** One move of a pod, with what it has in memory, to another node. */
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
    { name: 'Behind', type: 'integer', jsonPath: '.status.messages.behind' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
  ],
});

export type StatefulMigration = Stored<CustomObject<Infer<typeof statefulMigration>>>;
export type MigrationStatus = Infer<typeof status>;
export type Handover = Infer<typeof handover>;
export type Outcome = NonNullable<MigrationStatus['outcome']>;
export type Phase = (typeof PHASES)[number];

const TERMINAL: ReadonlySet<Phase> = new Set<Phase>(['Completed', 'Failed', 'Rejected', 'Aborted']);

/** Nothing more is going to happen. */
export function isTerminal({ phase }: Pick<MigrationStatus, 'phase'>): boolean {
  return phase !== undefined && TERMINAL.has(phase);
}
