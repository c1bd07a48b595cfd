import type { JsonObject, KubeObject } from '@kubewright/kube';

/** What is run in a cluster: a manager on this runtime, ours or anybody's. */
export type ManagerImage = {
  /** Of its Deployment, Service, account and labels. */
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly JsonObject[];
  readonly volumes?: readonly JsonObject[];
  readonly volumeMounts?: readonly JsonObject[];
  readonly hasWebhooks: boolean;
};

export const WEBHOOK_PORT = 9443;
export const HEALTH_PORT = 8081;
/** Of the container port that also serves metrics. */
export const HEALTH_PORT_NAME = 'health';
/** As nobody of the image: what has no such user runs too. */
const USER = 65_532;

export const labelsOf = (name: string): Readonly<Record<string, string>> => ({
  'app.kubernetes.io/name': name,
});

/** The Service of webhooks, the Deployment, and what protects it. */
export function managerObjects(manager: ManagerImage): readonly KubeObject[] {
  return [
    ...(manager.hasWebhooks ? [service(manager)] : []),
    deployment(manager),
    disruptionBudget(manager),
    networkPolicy(manager),
  ];
}

const metadataOf = ({ name, namespace }: ManagerImage) => ({ name, namespace, labels: labelsOf(name) });

function service(manager: ManagerImage): KubeObject {
  const ports = [{ name: 'webhooks', port: 443, targetPort: 'webhooks' }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(manager),
    spec: { selector: labelsOf(manager.name), ports },
  };
}

/** Two replicas: one leads, the other stands by with full caches. Both serve webhooks. */
function deployment(manager: ManagerImage): KubeObject {
  const labels = labelsOf(manager.name);
  const spread = { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' };
  const podSpec = {
    serviceAccountName: manager.name,
    securityContext: { runAsNonRoot: true, runAsUser: USER, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: labels } }],
    // More than the delay, and the minute in which requests to webhooks that are under way are answered.
    terminationGracePeriodSeconds: 75,
    containers: [container(manager)],
    ...(manager.volumes === undefined ? {} : { volumes: manager.volumes }),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(manager),
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec },
    },
  };
}

function container({ image, args, env = [], volumeMounts }: ManagerImage): JsonObject {
  const probe = (path: string): JsonObject => ({ httpGet: { path, port: HEALTH_PORT_NAME } });
  return {
    name: 'manager',
    image,
    ...(args === undefined ? {} : { args }),
    ports: [
      { name: 'webhooks', containerPort: WEBHOOK_PORT },
      { name: HEALTH_PORT_NAME, containerPort: HEALTH_PORT },
    ],
    livenessProbe: probe('/healthz'),
    readinessProbe: probe('/readyz'),
    resources: { requests: { cpu: '50m', memory: '128Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    env: [...MEMORY, ...env],
    ...(volumeMounts === undefined ? {} : { volumeMounts }),
  };
}

/**
 * Memory that a burst of large requests took goes back to the node: the C library frees large blocks at once and keeps no arena
 * for each thread, and V8's young generation stays small.
 */
const MEMORY = Object.entries({
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
  NODE_OPTIONS: '--max-semi-space-size=4',
}).map(([name, value]) => ({ name, value }));

/**
 * Webhooks are called from anywhere: on most clusters API servers are no pods, and no selector finds them. Metrics are read
 * from namespaces with the label that kubebuilder's projects use. A node always reaches its own pods, with probes.
 */
function networkPolicy(manager: ManagerImage): KubeObject {
  const port = (name: string) => ({ protocol: 'TCP', port: name });
  const metrics = {
    from: [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }],
    ports: [port(HEALTH_PORT_NAME)],
  };
  const ingress = [...(manager.hasWebhooks ? [{ ports: [port('webhooks')] }] : []), metrics];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadataOf(manager),
    spec: { podSelector: { matchLabels: labelsOf(manager.name) }, policyTypes: ['Ingress'], ingress },
  };
}

function disruptionBudget(manager: ManagerImage): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadataOf(manager),
    spec: { minAvailable: 1, selector: { matchLabels: labelsOf(manager.name) } },
  };
}
