import type { corev1, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { LABELS, ROLES, type StatefulMigration } from '../api.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  migrationOf,
  nodeOf,
  podOf,
  REPLICA_SET,
  replicaSetOf,
  reportFrom,
  setOf,
  SOURCE,
} from '../testing/migration-bench.ts';
import type { DeliveryLimit } from '../brokers/broker.ts';
import type { ObservedMigration } from './observed-migration.ts';

const without = (field: keyof ObservedMigration): ObservedMigration => {
  const { [field]: _left, ...rest } = ALL_WELL;
  return rest as ObservedMigration;
};
const withSpec = (spec: Parameters<typeof migrationOf>[0]): ObservedMigration => ({
  ...ALL_WELL,
  migration: migrationOf(spec),
});
const withPod = (...facts: Parameters<typeof podOf>): ObservedMigration => ({
  ...ALL_WELL,
  named: podOf(...facts),
});
const withSet = (...facts: Parameters<typeof setOf>): ObservedMigration => ({
  ...ALL_WELL,
  set: setOf(...facts),
});
/** The target node has this, too; the pod has these containers. */
const onNode = (more: Partial<corev1.Node>, containers?: corev1.Container[]): ObservedMigration => {
  const node = nodeOf();
  const changed = {
    ...node,
    spec: { ...node.spec, ...more.spec },
    status: { ...node.status, ...more.status },
  };
  return { ...withPod(containers === undefined ? {} : { spec: { containers } }), node: changed };
};
const CLAIM = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: {},
} as const;
const WITH_CLAIM = {
  spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-consumer-0' } }] },
} as const;
/** A volume that only one node can use. */
function volumeOn(node: string): Stored<corev1.PersistentVolume> {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] as const;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk', uid: 'disk', resourceVersion: '1' },
    spec: {
      claimRef: { name: 'data-consumer-0' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  };
}
/** A pod of a ReplicaSet. */
function ofReplicas(facts: Parameters<typeof podOf>[0] = {}) {
  return { named: podOf({ owner: OF_REPLICAS, ...facts }), replicaSet: replicaSetOf() };
}
const OF_REPLICAS = { kind: 'ReplicaSet', uid: REPLICA_SET };
const withLimit = (limit: DeliveryLimit): ObservedMigration => ({
  ...ALL_WELL,
  broker: { ...brokerWith(reportFrom(SOURCE)), limit },
});
const REACHED = { type: 'reached', exchange: true, reports: new Map() } as const;
const queue = { queueName: 'orders-0', brokerUrl: 'amqp://b', exchangeName: 'events', routingKey: '' };

describe('what is rejected before anything is written', () => {
  test.each<readonly [string, string, ObservedMigration]>([
    ['no source pod is named', 'SourcePodMissing', withSpec({ sourcePod: '' })],
    ['the pod does not exist', 'SourcePodMissing', without('named')],
    ['the pod has not started', 'SourcePodNotRunning', withPod({ phase: 'Pending' })],
    ['the pod is being deleted', 'SourcePodNotRunning', withPod({ ending: true })],
    ['there is no such container', 'ContainerMissing', withSpec({ containerName: 'side' })],
    ['a strategy of nobody', 'FieldNotSupported', withSpec({ migrationStrategy: 'Fast' })],
    ['a replayMode of nobody', 'FieldNotSupported', withSpec({ replayMode: 'Rewind' })],
    ['a transferMode of nobody', 'FieldNotSupported', withSpec({ transferMode: 'Pigeon' })],
    ['an identitySwapMode of nobody', 'FieldNotSupported', withSpec({ identitySwapMode: 'Later' })],
    [
      'a StatefulSet’s pod that is not to get its name back',
      'FieldNotSupported',
      withSpec({ identitySwapMode: 'None' }),
    ],
    [
      'a broker by its URL and by a Secret',
      'BrokerRejected',
      withSpec({ messageQueueConfig: { ...queue, brokerSecret: 'ms2m-broker' } }),
    ],
    ['a DaemonSet’s pod', 'OwnerNotSupported', withPod({ owner: { kind: 'DaemonSet', uid: 'ds' } })],
    [
      'a pod of a set that was made again',
      'OwnerNotSupported',
      withPod({ owner: { kind: 'StatefulSet', uid: 'old' } }),
    ],
    ['a pod whose ReplicaSet is gone', 'ReplicaSetGone', withPod({ owner: OF_REPLICAS })],
    [
      'a pod whose ReplicaSet is scaled down',
      'ReplicaSetScaledDown',
      { ...withPod({ owner: OF_REPLICAS }), replicaSet: replicaSetOf({ replicas: 0 }) },
    ],
    ['MIG-47 no target node is named', 'TargetNodeMissing', withSpec({ targetNode: '' })],
    ['MIG-47 the target node does not exist', 'TargetNodeMissing', without('node')],
    [
      'MIG-47 the target node is that of the source',
      'TargetNodeIsSource',
      withPod({ spec: { nodeName: 'b' } }),
    ],
    ['MIG-47 the target node is not ready', 'TargetNodeNotReady', { ...ALL_WELL, node: nodeOf('False') }],
    [
      'MIG-47 the target node is cordoned',
      'TargetNodeUnschedulable',
      { ...ALL_WELL, node: nodeOf('True', true) },
    ],
    [
      'MIG-47 the target node has a taint that the pod does not tolerate',
      'TargetNodeTainted',
      onNode({ spec: { taints: [{ key: 'gpu', value: 'a100', effect: 'NoSchedule' }] } }),
    ],
    [
      'MIG-47 the target node lacks a label that the pod selects',
      'TargetNodeNotSelected',
      withPod({ spec: { nodeSelector: { disk: 'ssd' } } }),
    ],
    [
      'MIG-47 the target node is too small for what all containers of the pod request',
      'TargetNodeTooSmall',
      onNode({ status: { allocatable: { cpu: '1900m', memory: '1Gi' } } }, [
        { name: 'main', resources: { requests: { cpu: '1500m', memory: '512Mi' } } },
        { name: 'side', resources: { requests: { cpu: '500m' } } },
      ]),
    ],
    [
      'MIG-52 the set has claim templates, of which the pod has no volume',
      'VolumesNotSupported',
      withSet({ volumeClaimTemplates: [CLAIM] }),
    ],
    [
      'MIG-52 the pod has a claim, and is one of two of its ReplicaSet',
      'VolumesNotSupported',
      {
        ...without('set'),
        ...ofReplicas(WITH_CLAIM),
        replicaSet: replicaSetOf({ replicas: 2 }, { replicas: 2, readyReplicas: 2 }),
      },
    ],
    [
      'MIG-70 the volume of its claim is on another node than the target',
      'VolumesNotSupported',
      { ...withPod(WITH_CLAIM), volumes: [volumeOn('a')] },
    ],
    ['MIG-53 a rollout is in progress', 'RolloutInProgress', withSet({}, { updateRevision: 'r2' })],
    [
      'MIG-53 the set has not seen its own template',
      'RolloutInProgress',
      withSet({}, { observedGeneration: 0 }),
    ],
    ['MIG-56 the set does not want the pod', 'OrdinalOutOfRange', withSet({ replicas: 0 })],
    [
      'MIG-61 the pod is the shadow of another migration',
      'IsMigrationTarget',
      withPod({ labels: { [LABELS.migration]: 'other', [LABELS.role]: ROLES.shadow } }),
    ],
    [
      'MIG-61 the pod is to take over from a shadow, in a migration that goes on',
      'AlreadyMigrating',
      {
        ...withPod({ labels: { [LABELS.migration]: 'other', [LABELS.role]: ROLES.restored } }),
        others: [migrationOf({}, undefined, 'other')],
      },
    ],
    [
      'MIG-60 another migration has the pod',
      'AlreadyMigrating',
      {
        ...withPod({ labels: { [LABELS.migration]: 'other', [LABELS.role]: ROLES.source } }),
        others: [migrationOf({}, undefined, 'other')],
      },
    ],
    ['no queue is named', 'QueueMissing', withSpec({ messageQueueConfig: { ...queue, queueName: '' } })],
    ['the queue does not exist', 'QueueMissing', { ...ALL_WELL, broker: REACHED }],
    [
      'the exchange does not exist',
      'QueueMissing',
      { ...ALL_WELL, broker: { ...REACHED, exchange: false, primary: { ready: 0, consumers: 1 } } },
    ],
    [
      'others consume the queue too',
      'QueueShared',
      {
        ...ALL_WELL,
        broker: {
          ...brokerWith(reportFrom(SOURCE)),
          primary: { ready: 0, consumers: 2 },
        },
      },
    ],
    [
      'MIG-20 pauses alone would have the broker drop messages of the queue',
      'DeliveryLimitTooLow',
      withLimit({ limit: 3, isOwn: true, countsPauses: true, version: '3.10.8' }),
    ],
    ['the broker rejects us', 'BrokerRejected', { ...ALL_WELL, broker: { type: 'rejected', message: 'no' } }],
  ])('%s', (_title, reason, observed) => {
    expect(decidedAt(0, observed)).toMatchObject({
      phase: 'Rejected',
      why: reason,
      action: '-',
      events: expect.arrayContaining(['Warning Rejected']),
    });
  });

  test('MIG-47 of a target node that is cordoned, what a person can do is named', () => {
    expect(decidedAt(0, { ...ALL_WELL, node: nodeOf('True', true) }).message).toBe(
      'node b is cordoned: uncordon it (kubectl uncordon b), or name another node',
    );
  });

  test('MIG-53 a pod that is not ready beside it, after a while: its ReplicaSet would delete that one first', () => {
    const replicaSet = replicaSetOf({ replicas: 2 }, { replicas: 2 });
    const beside = { ...withPod({ owner: OF_REPLICAS }), replicaSet };
    const { decision, ...told } = decidedAt(0, beside);
    expect(told).toMatchObject({ step: 'Preflight', action: '-', requeueAfter: 200 });
    const later = { ...beside, migration: migrationOf({}, decision.status) };
    expect(decidedAt(31, later)).toMatchObject({ phase: 'Rejected', why: 'RolloutInProgress' });
  });

  test.each<readonly [Partial<StatefulMigration['spec']>]>([
    [{ replayMode: 'Drain' }],
    [{ identitySwapMode: 'ExchangeFence' }],
    [{ transferMode: 'Registry', checkpointImageRepository: 'registry.example/checkpoints' }],
  ])('but not %j', (spec) => {
    expect(decidedAt(0, withSpec(spec))).toMatchObject({ step: 'Lock' });
  });

  test('nobody is left to believe that an application of the SDK is put into an image', () => {
    const { decision } = decidedAt(0, withSpec({ transferMode: 'Direct', checkpointImageRepository: 'r' }));
    expect(decision.events).toContainEqual({
      type: 'Normal',
      reason: 'FieldsIgnored',
      message:
        'The application writes its state to the broker: spec.checkpointImageRepository and spec.transferMode have no effect',
    });
  });

  test.each([
    [
      { limit: 3, isOwn: true, countsPauses: false, version: '4.3.6' },
      'a delivery limit of 3 (argument x-delivery-limit; a policy may set another one): a message counts when its process is lost',
    ],
    [
      { limit: 20, isOwn: false, countsPauses: true, version: '4.1.0' },
      'a delivery limit of 20 (default of RabbitMQ 4.1.0; a policy may set another one): a message counts when its process pauses, fails or is lost',
    ],
  ])(
    'MIG-20 nor a delivery limit that pauses do not reach; the plan says what that means: %j',
    (limit, told) => {
      const { decision } = decidedAt(0, withLimit(limit));
      const message = expect.stringContaining(told) as string;
      expect(decision.events).toContainEqual({ type: 'Normal', reason: 'DeliveryLimit', message });
    },
  );

  test('a consumer that is none of the SDK, after a while', () => {
    const silent = { ...ALL_WELL, broker: brokerWith() };
    const waiting = decidedAt(0, silent);
    expect(waiting).toMatchObject({ phase: 'Pending', step: 'Preflight', action: '-', requeueAfter: 200 });
    const { status } = waiting.decision;
    if (status === undefined) throw new TypeError('no status');
    expect(decidedAt(31, { ...silent, migration: migrationOf({}, status) })).toMatchObject({
      phase: 'Rejected',
      why: 'ConsumerNotMigratable',
    });
  });
});

test('where all is well, the object is kept and the pod locked, before anything else', () => {
  expect(decidedAt(0, ALL_WELL)).toMatchObject({ phase: 'Pending', step: 'Lock', action: 'addFinalizer' });
});

test('MIG-55 a pod below the partition keeps its revision in a rollout, and so it may move', () => {
  const old = { labels: { 'controller-revision-hash': 'r1' } };
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } as const;
  const set = setOf({ replicas: 2, updateStrategy }, { updateRevision: 'r2' });
  expect(decidedAt(0, { ...withPod(old), set })).toMatchObject({ phase: 'Pending', action: 'addFinalizer' });
  // It was updated before there was a partition.
  const start = setOf({ ordinals: { start: 0 }, replicas: 2, updateStrategy }, { updateRevision: 'r2' });
  const updated = { labels: { 'controller-revision-hash': 'r2' } };
  expect(decidedAt(0, { ...withPod(updated), set: start })).toMatchObject({ why: 'RolloutInProgress' });
});

test('MIG-59 somebody’s pod has the name of the shadow: the shadow gets another one', () => {
  const foreign = { ...ALL_WELL, shadow: podOf({ uid: 'foreign', name: 'consumer-0-shadow' }) };
  const { status } = decidedAt(0, foreign).decision;
  expect(status?.targetPod).toBe('consumer-0-shadow-f0e1d2c3');
  expect(decidedAt(0, ALL_WELL).decision.status?.targetPod).toBe('consumer-0-shadow');
});

test('MIG-47 a taint that the pod tolerates, and a node that is just large enough, do no harm', () => {
  const tainted = onNode({
    spec: { taints: [{ key: 'gpu', effect: 'NoExecute' }] },
    status: { allocatable: { cpu: '2' } },
  });
  const tolerations = [{ key: 'gpu', operator: 'Exists' as const }];
  const containers = [{ name: 'main', resources: { requests: { cpu: '2000m' } } }];
  const named = podOf({ spec: { tolerations, containers } });
  expect(decidedAt(0, { ...tainted, named })).toMatchObject({ step: 'Lock' });
});

test('a lock whose migration is over is none', () => {
  const labels = { [LABELS.migration]: 'over', [LABELS.role]: ROLES.restored };
  expect(decidedAt(0, withPod({ labels }))).toMatchObject({ step: 'Lock', action: 'addFinalizer' });
});

test('MIG-13 a broker that is down is waited for, and the conditions say so', () => {
  const { decision, ...told } = decidedAt(0, {
    ...ALL_WELL,
    broker: { type: 'unavailable', message: 'refused' },
  });
  expect(told).toMatchObject({
    phase: 'Pending',
    action: '-',
    message: 'the broker is unavailable: refused',
  });
  expect(decision.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'BrokerUnavailable', status: 'True', message: 'refused' }),
  );
});

test.each([
  ['MIG-38 that is to be aborted', { abort: true }],
  ['MIG-38 MIG-56 to be aborted, of a pod that is gone', { abort: true, sourcePod: '' }],
])('a new migration %s is, at once', (_title, spec) => {
  expect(decidedAt(0, withSpec(spec))).toMatchObject({
    phase: 'Aborted',
    action: '-',
    why: 'AbortRequested',
  });
});

test('MIG-80: a source that reads another queue than the migration names is rejected, and both are named', () => {
  const broker = brokerWith(reportFrom(SOURCE, { queue: 'orders-1' }));
  expect(decidedAt(0, { ...ALL_WELL, broker })).toMatchObject({
    phase: 'Rejected',
    why: 'QueueMismatch',
    message:
      'the consumer in pod consumer-0 reads queue orders-1, and spec.messageQueueConfig.queueName is orders-0',
  });
  const same = brokerWith(reportFrom(SOURCE, { queue: 'orders-0' }));
  expect(decidedAt(0, { ...ALL_WELL, broker: same }).phase).not.toBe('Rejected');
});
