import { type appsv1, defined, type KubeObject } from '@kubewright/kube';

export const NAMESPACE = 'default';

/** A pod of each kind of owner is migrated. */
export type Workload = {
  /** Name, and label `app`, of what is created. */
  readonly name: string;
  /** Of its pods, in the order of their names. */
  readonly queues: readonly string[];
  /** Which of them is migrated. Default: the first. */
  readonly moved?: number;
  /** Where its pods keep their names. */
  readonly pods?: readonly string[];
  /** The claims of its pods, each of which is bound to a volume that any node can use. */
  readonly claims?: readonly string[];
  /** How it asks to be moved. Default: not at all. */
  readonly strategy?: 'Sequential';
  /** Who controls its pods; undefined: nobody. */
  readonly controller?: string;
  readonly object: () => KubeObject;
};

/** What pods say of themselves, for evictions. */
const annotations = (queue: string) => ({
  'migration.ms2m.io/queue': queue,
  'migration.ms2m.io/exchange': 'events',
});

/** Where the broker is that they mean. */
export const BROKER: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'ms2m-broker', namespace: NAMESPACE },
  stringData: { url: 'amqp://broker' },
};

const template = (name: string, queue?: string, image = 'consumer', claim?: string) => ({
  metadata: { labels: { app: name }, annotations: annotations(queue ?? 'orders-$(POD_INDEX)') },
  spec: {
    containers: [
      {
        name: 'main',
        image,
        ...(queue !== undefined && { env: [{ name: 'QUEUE', value: queue }] }),
      },
    ],
    ...(claim !== undefined && {
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
    }),
  },
});

/** Each pod has a queue by its index. */
const statefulSet = (
  ordinals: readonly number[],
  spec: Partial<appsv1.StatefulSetSpec> = {},
  image?: string,
) => ({
  name: 'consumer',
  queues: ordinals.map((ordinal) => `orders-${ordinal}`),
  pods: ordinals.map((ordinal) => `consumer-${ordinal}`),
  controller: 'StatefulSet',
  object: () => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'consumer', namespace: NAMESPACE },
    spec: {
      serviceName: 'consumer',
      replicas: ordinals.length,
      selector: { matchLabels: { app: 'consumer' } },
      template: template('consumer', undefined, image),
      ...spec,
    },
  }),
});

const DATA = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
} as const;

const withClaims = (ordinals: readonly number[]) => ({
  ...statefulSet(ordinals, { volumeClaimTemplates: [DATA] }),
  claims: ordinals.map((ordinal) => `data-consumer-${ordinal}`),
});

/** A volume, and the claim that it is bound to. */
export function boundVolume(claim: string): readonly [volume: KubeObject, claim: KubeObject] {
  const { spec, apiVersion, kind } = DATA;
  const key = { namespace: NAMESPACE, name: claim };
  const { accessModes } = spec;
  const capacity = spec.resources.requests;
  return [
    {
      apiVersion,
      kind: 'PersistentVolume',
      metadata: { name: claim },
      spec: { capacity, accessModes, hostPath: { path: '/data' }, claimRef: { kind, ...key } },
    },
    {
      apiVersion,
      kind,
      metadata: { ...key, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { ...spec, volumeName: claim },
    },
  ];
}

const lone = (image?: string, claim?: string) => ({
  name: 'lone',
  queues: ['orders-lone'],
  ...(claim !== undefined && { claims: [claim], pods: ['lone'] }),
  object: () => {
    const { metadata, spec } = template('lone', 'orders-lone', image, claim);
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: 'lone', namespace: NAMESPACE },
      spec,
    };
  },
});

const web = (image?: string, claim?: string) => ({
  name: 'web',
  queues: ['orders-web'],
  ...(claim !== undefined && { claims: [claim] }),
  controller: 'ReplicaSet',
  object: () => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: NAMESPACE },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: template('web', 'orders-web', image, claim),
    },
  }),
});

/** Those that begin with `Original` run applications of the original system. */
export const WORKLOADS = {
  StatefulSet: statefulSet([0, 1]),
  OriginalSet: statefulSet([0, 1], {}, 'original'),
  // Whatever it asks for: its pods have volumes.
  Sequential: withClaims([0, 1]),
  OriginalSequential: { ...statefulSet([0, 1], {}, 'original'), strategy: 'Sequential' },
  SequentialSingle: withClaims([0]),
  SequentialPod: lone(undefined, 'data-lone'),
  SequentialDeployment: web(undefined, 'data-web'),
  Single: statefulSet([0]),
  OriginalSingle: statefulSet([0], {}, 'original'),
  OriginalPod: lone('original'),
  OriginalDeployment: web('original'),
  Parallel: { ...statefulSet([0, 1, 2], { podManagementPolicy: 'Parallel' }), moved: 1 },
  FromFive: statefulSet([5, 6], { ordinals: { start: 5 } }),
  Deployment: web(),
  Pod: lone(),
} as const satisfies Readonly<Record<string, Workload>>;

export type WorkloadKind = keyof typeof WORKLOADS;

/** The migration of the first workload is `move`. */
export function moveName(index: number): { readonly namespace: string; readonly name: string } {
  return { namespace: NAMESPACE, name: index === 0 ? 'move' : `move-${index}` };
}

export type Move = {
  readonly name: string;
  readonly sourcePod: string;
  readonly queue: string;
  readonly targetNode: string;
  readonly ttlSecondsAfterFinished?: number | undefined;
  readonly dryRun?: boolean | undefined;
  readonly migrationStrategy?: string | undefined;
};

export function move({ name, sourcePod, queue, targetNode, ...more }: Move): KubeObject {
  const messageQueueConfig = {
    queueName: queue,
    brokerUrl: 'amqp://broker',
    exchangeName: 'events',
    routingKey: queue,
  };
  return {
    apiVersion: 'migration.ms2m.io/v1alpha1',
    kind: 'StatefulMigration',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      sourcePod,
      targetNode,
      messageQueueConfig,
      ...defined(more),
    },
  };
}
