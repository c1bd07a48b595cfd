import { formatTime, type appsv1, type corev1, type Stored } from '@kubewright/kube';
import type { Report } from '@kubewright/migratable';
import { LABELS, type MigrationStatus, ROLES, type StatefulMigration } from '../api.ts';
import { decideMigration } from '../decide/decide-migration.ts';
import type { LivePod, ObservedBroker, ObservedMigration } from '../decide/observed-migration.ts';
import { readSettings } from '../settings.ts';

// A migration of consumer-0 from node a to node b, as decisions see it, and what is decided.

const START = Date.UTC(2026, 0, 1);
/** Seconds after the start, as the API writes times. */
export const timeAt = (seconds: number): string => formatTime(new Date(START + seconds * 1000));

export const MIGRATION_UID = 'f0e1d2c3-0000-4000-8000-000000000001';
/** UIDs of the source, of its shadow, and of the pod that is made in its place. */
export const SOURCE = 'source-uid';
export const SHADOW = 'shadow-uid';
export const NEW = 'new-uid';
const SET = 'set-uid';
export const REPLICA_SET = 'replica-set-uid';

/** What the source has written, in a message of its own. */
export const SNAPSHOT = { queue: 'snapshot', chunks: 1, bytes: 2, sha256: 'a' };

/** Labels of a pod that has a part in the migration. */
export const marked = (role: keyof typeof ROLES) => ({
  [LABELS.migration]: MIGRATION_UID,
  [LABELS.role]: ROLES[role],
});

type Spec = Partial<StatefulMigration['spec']>;

export function migrationOf(
  spec: Spec = {},
  status?: MigrationStatus,
  uid: string = MIGRATION_UID,
): StatefulMigration {
  return {
    apiVersion: 'migration.ms2m.io/v1alpha1',
    kind: 'StatefulMigration',
    metadata: { name: 'move', namespace: 'shop', uid, resourceVersion: '1', generation: 1 },
    spec: {
      sourcePod: 'consumer-0',
      containerName: '',
      targetNode: 'b',
      migrationStrategy: '',
      abort: false,
      dryRun: false,
      messageQueueConfig: {
        queueName: 'orders-0',
        brokerUrl: 'amqp://broker',
        exchangeName: 'events',
        routingKey: '',
      },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

export type PodFacts = {
  readonly uid?: string;
  readonly name?: string;
  readonly phase?: NonNullable<corev1.PodStatus['phase']>;
  readonly ending?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Default: the StatefulSet; `nobody` is for a pod without a controller. */
  readonly owner?: { readonly kind: string; readonly uid: string } | 'nobody';
  readonly ready?: boolean;
  readonly spec?: Partial<corev1.PodSpec>;
};

export function podOf(facts: PodFacts = {}): LivePod {
  const { uid = SOURCE, name = 'consumer-0', phase = 'Running', ending = false, spec } = facts;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid,
      resourceVersion: '1',
      labels: { app: 'consumer', ...facts.labels },
      ...(facts.annotations === undefined ? {} : { annotations: facts.annotations }),
      ...(ending ? { deletionTimestamp: timeAt(0) } : {}),
      ...ownersOf(facts),
    },
    spec: { nodeName: 'a', containers: [{ name: 'main', image: 'consumer' }], ...spec },
    status: { phase, conditions: [{ type: 'Ready', status: readiness(facts) }] },
  };
}

function ownersOf({ owner = { kind: 'StatefulSet', uid: SET } }: PodFacts) {
  if (owner === 'nobody') return {};
  return { ownerReferences: [{ apiVersion: 'apps/v1', ...owner, name: 'consumer', controller: true }] };
}

function readiness({ ready = true }: PodFacts): 'True' | 'False' {
  return ready ? 'True' : 'False';
}

export function replicaSetOf(
  spec: Partial<appsv1.ReplicaSetSpec> = {},
  status: Partial<appsv1.ReplicaSetStatus> = {},
): Stored<appsv1.ReplicaSet> {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: 'consumer-5d8f',
      namespace: 'shop',
      uid: REPLICA_SET,
      resourceVersion: '1',
      generation: 1,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'consumer', uid: 'd', controller: true },
      ],
    },
    spec: { replicas: 1, selector: {}, ...spec },
    status: { replicas: 1, readyReplicas: 1, observedGeneration: 1, ...status },
  };
}

export function setOf(
  spec: Partial<appsv1.StatefulSetSpec> = {},
  status: Partial<appsv1.StatefulSetStatus> = {},
) {
  const set = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'consumer', namespace: 'shop', uid: SET, resourceVersion: '1', generation: 1 },
    spec: { replicas: 1, ...spec },
    status: { replicas: 1, observedGeneration: 1, currentRevision: 'r1', updateRevision: 'r1', ...status },
  };
  return set as Stored<appsv1.StatefulSet>;
}

export function nodeOf(ready: 'True' | 'False' = 'True', unschedulable = false): Stored<corev1.Node> {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'b', uid: 'b', resourceVersion: '1' },
    spec: unschedulable ? { unschedulable } : {},
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}

export function reportFrom(pod: string, facts: Partial<Report> = {}): Report {
  return {
    pod,
    instance: `${pod}-1`,
    number: 1,
    mode: 'running',
    watermarks: {},
    applied: 0,
    duplicates: 0,
    gaps: 0,
    unnumbered: 0,
    ...facts,
  };
}

export function brokerWith(
  ...reports: readonly Report[]
): Extract<ObservedBroker, { readonly type: 'reached' }> {
  return {
    type: 'reached',
    exchange: true,
    primary: { ready: 0, consumers: 1 },
    reports: new Map(reports.map((report) => [report.pod, report])),
  };
}

export const ALL_WELL: ObservedMigration = {
  migration: migrationOf(),
  settings: readSettings({}),
  named: podOf(),
  set: setOf(),
  node: nodeOf(),
  others: [],
  open: [],
  broker: brokerWith(reportFrom(SOURCE)),
};

/** What is decided `seconds` after the start, in a word each. */
export function decidedAt(seconds: number, observed: ObservedMigration, done: readonly string[] = []) {
  const decision = decideMigration(
    observed,
    new Date(START + seconds * 1000),
    done.map((reason) => ({ reason })),
  );
  const { status = { handedOver: false }, action, events = [], requeueAfter } = decision;
  const { step, phase, message, conditions = [] } = status;
  return {
    decision,
    step,
    phase,
    message,
    action: action?.type ?? '-',
    why: conditions.find(({ type }) => type === 'Failed')?.reason,
    events: events.map(({ type, reason }) => `${type} ${reason}`),
    requeueAfter,
  };
}
