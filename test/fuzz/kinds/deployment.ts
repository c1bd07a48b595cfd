import { type Gen, constant, listOf, mapOf, mostly, object, oneOf, some } from '../gen.ts';
import { type FuzzKind, metadata } from './fuzz-kind.ts';

const quantities = mostly(oneOf('100m', '0.1', '1', '64Mi', '1e3', 1), 'much', '-1', null);

const resources = some(0.5, {
  requests: mapOf(['cpu', 'memory'], oneOf('100m', '0.1', '64Mi', 1)),
  limits: mapOf(['cpu', 'memory'], quantities),
});

const env = listOf(
  ['A', 'B', 'C'].map((name) =>
    object({ name: constant(name) }, 0.7, { value: mostly(oneOf('1', '2', ''), 7, null) }),
  ),
);

const ports = listOf(
  [80, 81].flatMap((containerPort) =>
    ['TCP', 'UDP', undefined].map((protocol) =>
      object(
        {
          containerPort: mostly(constant(containerPort), 0, 70_000, 'x'),
          ...(protocol === undefined ? {} : { protocol: constant(protocol) }),
        },
        0.3,
        { name: oneOf('http', 'dns', 'metrics') },
      ),
    ),
  ),
  0.15,
);

const probe = object({}, 0.7, {
  httpGet: object({ port: oneOf(80, 'http') }, 0.5, { path: oneOf('/', '/healthz') }),
  periodSeconds: mostly(oneOf(1, 10), -1),
  initialDelaySeconds: oneOf(0, 5),
});

function container(name: string): Gen {
  return object({ name: mostly(constant(name), 'Not_Valid', '') }, 0.35, {
    image: mostly(oneOf('i:1', 'i:2', 'i', 'i:latest'), '', null),
    command: oneOf(['sh'], ['sh', '-c'], []),
    args: oneOf(['a'], ['b', 'c']),
    env,
    ports,
    resources,
    imagePullPolicy: mostly(oneOf('Always', 'IfNotPresent'), 'Sometimes'),
    livenessProbe: probe,
    volumeMounts: listOf(
      ['/a', '/b'].map((mountPath) =>
        object({ name: constant('v1'), mountPath: constant(mountPath) }, 0.3, {
          readOnly: oneOf(true, false),
        }),
      ),
      0.2,
    ),
    securityContext: some(0.5, { runAsUser: oneOf(0, 1000), privileged: oneOf(true, false) }),
    tty: oneOf(true, false),
  });
}

const volumes = listOf(
  [
    object({ name: constant('v1') }, 0.9, {
      emptyDir: oneOf({}, { medium: 'Memory' }, { sizeLimit: '1Gi' }),
    }),
    object({ name: constant('v2') }, 0.9, {
      configMap: object({ name: oneOf('c', 'd') }, 0.3, { defaultMode: oneOf(420, 256) }),
    }),
    object({
      name: constant('v3'),
      secret: object({ secretName: oneOf('s', 't') }, 0.3, { optional: oneOf(true) }),
    }),
  ],
  0.4,
);

const podSpec = some(0.3, {
  containers: mostly(listOf(['c', 'side', 'third'].map(container), 0.6), [], null),
  initContainers: listOf(['init', 'setup'].map(container), 0.4),
  volumes,
  nodeSelector: mapOf(['disk', 'zone'], oneOf('ssd', 'a')),
  tolerations: listOf([
    constant({ key: 'a', operator: 'Exists' }),
    constant({ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }),
  ]),
  imagePullSecrets: listOf([constant({ name: 's1' }), constant({ name: 's2' })]),
  restartPolicy: mostly(constant('Always'), 'Never', 'Sometimes'),
  terminationGracePeriodSeconds: oneOf(0, 30, 60),
  dnsPolicy: oneOf('ClusterFirst', 'Default'),
  serviceAccountName: oneOf('sa', 'other', ''),
  serviceAccount: (random) => (random.chance(0.1) ? 'sa' : undefined),
  hostNetwork: (random) => (random.chance(0.1) ? random.chance(0.7) : undefined),
  securityContext: some(0.5, { runAsUser: oneOf(0, 7), fsGroup: oneOf(1, 2) }),
  hostAliases: listOf([
    constant({ ip: '10.0.0.1', hostnames: ['x', 'y'] }),
    constant({ ip: '10.0.0.2', hostnames: ['z'] }),
  ]),
  priorityClassName: (random) => (random.chance(0.05) ? 'system-node-critical' : undefined),
  topologySpreadConstraints: listOf(
    [
      object({
        maxSkew: oneOf(1, 2),
        topologyKey: constant('zone'),
        whenUnsatisfiable: oneOf('DoNotSchedule', 'ScheduleAnyway'),
      }),
    ],
    0.2,
  ),
});

const strategy: Gen = (random) =>
  random.pick([
    { type: 'Recreate' },
    { type: 'RollingUpdate' },
    { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
    { rollingUpdate: { maxUnavailable: '10%' } },
    {
      rollingUpdate: {
        maxUnavailable: random.chance(0.9) ? 0 : '200%',
        maxSurge: random.chance(0.9) ? '50%' : 'x',
      },
    },
  ]);

const body: Gen = some(0.6, {
  metadata,
  spec: some(0.35, {
    replicas: mostly(oneOf(0, 1, 2, 3), -1, null, 'x'),
    paused: oneOf(true, false),
    minReadySeconds: mostly(oneOf(0, 5), -5),
    revisionHistoryLimit: oneOf(1, 10),
    progressDeadlineSeconds: oneOf(60, 600),
    strategy,
    selector: mostly(constant({ matchLabels: { app: 'x' } }), { matchLabels: { app: 'y' } }, null),
    template: some(0.85, {
      metadata: some(0.5, {
        labels: object({ app: mostly(constant('x'), 'z') }, 0.3, { more: oneOf('1', '2') }),
        annotations: mapOf(['t'], oneOf('1', '2')),
      }),
      spec: podSpec,
    }),
  }),
});

export const deployment: FuzzKind = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  group: 'apps',
  collection: (namespace) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
  body,
  base: {
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
    },
  },
  status: some(0.4, {
    observedGeneration: oneOf(1, 2, 3),
    replicas: mostly(oneOf(0, 1, 2), -1),
    readyReplicas: oneOf(0, 1),
    updatedReplicas: oneOf(0, 1),
    availableReplicas: oneOf(0, 1),
    collisionCount: oneOf(0, 1),
    conditions: listOf(
      ['Available', 'Progressing'].map((type) =>
        object({ type: constant(type), status: oneOf('True', 'False') }, 0.5, {
          reason: oneOf('R', 'S'),
          message: constant('m'),
          lastUpdateTime: oneOf('2020-01-02T03:04:05Z', null),
        }),
      ),
    ),
  }),
  scale: true,
  strategic: true,
};
