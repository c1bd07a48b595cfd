import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import type { handover } from './handover.ts';
import { specSchema } from './spec-schema.ts';
import { type ADOPTIONS, type PHASES, statusSchema } from './status-schema.ts';

// Fields of spec and status are those of the original API; additions are marked.

export const GROUP = 'migration.ms2m.io';
export const FINALIZER = 'migration.ms2m.io/handover';
/** Of a pod of a StatefulSet, which makes no other one under its name meanwhile, see `keepName`. */
export const NAME_FINALIZER = 'migration.ms2m.io/name';
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
  /** Beside the source, on the target node. Keeps the state while a StatefulSet replaces the pod. */
  shadow: 'shadow',
  /** It stays: created by the StatefulSet and changed at admission, or the shadow of any other pod. */
  restored: 'restored',
} as const;

/** On a replacement: the handover (`status.handover.epoch`) that it is for. */
export const EPOCH_ANNOTATION = 'migration.ms2m.io/epoch';

/** On a pod that took over from one of another name: the name by which its containers go, and its annotations. */
export const NAMED_AFTER = 'migration.ms2m.io/named-after';

/** By which a pod says that it may be moved instead of evicted. */
export const ANNOTATIONS = {
  /** The queue that the pod consumes. */
  queue: 'migration.ms2m.io/queue',
  /** The exchange that its messages are published to. */
  exchange: 'migration.ms2m.io/exchange',
  /** Default: the name of the queue. */
  routingKey: 'migration.ms2m.io/routing-key',
  /** A URL; default: a Secret. */
  broker: 'migration.ms2m.io/broker',
  /** Default: {@link BROKER_SECRET}. */
  brokerSecret: 'migration.ms2m.io/broker-secret',
} as const;

/** On a migration that an eviction has begun: the uid of the pod. */
export const EVICTED_POD = 'migration.ms2m.io/evicted-pod';

/** What a ReplicaSet sorts its pods by: it deletes the cheapest first. */
export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
/** On a source that was made the cheapest: what it cost before. */
export const COST_BEFORE = 'migration.ms2m.io/deletion-cost';
/** The least that a pod can cost. */
export const LEAST_COST = '-2147483648';

/** The Secret with the address of a broker that the operator may get, in each namespace. */
export const BROKER_SECRET = 'ms2m-broker';

const statefulMigration = s.object(
  { spec: specSchema, status: s.optional(statusSchema) },
  { description: 'Moves a pod, with its in-memory state, to another node, once.' },
);

/** Moves a pod, with its in-memory state, to another node. */
export const STATEFUL_MIGRATIONS = customResource({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'StatefulMigration',
  plural: 'statefulmigrations',
  shortNames: ['sm'],
  categories: ['kubewright'],
  scope: 'Namespaced',
  schema: statefulMigration,
  columns: [
    { name: 'Pod', type: 'string', jsonPath: '.spec.sourcePod' },
    { name: 'From', type: 'string', jsonPath: '.status.sourceNode' },
    { name: 'To', type: 'string', jsonPath: '.spec.targetNode' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Step', type: 'string', jsonPath: '.status.step' },
    { name: 'Progress', type: 'integer', jsonPath: '.status.progress' },
    { name: 'ETA', type: 'string', jsonPath: '.status.estimatedCompletionTime' },
    { name: 'Behind', type: 'integer', jsonPath: '.status.messages.behind' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
  ],
});

export type StatefulMigration = Stored<CustomObject<Infer<typeof statefulMigration>>>;
export type MigrationStatus = Infer<typeof statusSchema>;
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
