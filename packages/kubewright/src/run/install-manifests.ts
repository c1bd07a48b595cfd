import type { JsonObject, KubeObject } from '@kubewright/kube';
import {
  installObjects,
  MANAGER,
  managerRoles,
  type OperatorParts,
  webhookConfigurations,
} from '@kubewright/operators';
import { addressOfAgents, nodeAgents } from './node-agents.ts';

export type ManifestOptions = {
  /** Names, as `kubewright manager --operators` takes them. */
  readonly operators: readonly string[];
  readonly namespace: string;
  /** Its entry point is `kubewright`. */
  readonly image: string;
  /** Also the agents of `migration` on all nodes, and where they are for the manager. */
  readonly nodeAgents?: true;
  /** Of operators, by environment variable. */
  readonly settings?: Readonly<Record<string, string>>;
};

const WEBHOOK_PORT = 9443;
const HEALTH_PORT = 8081;
const SHUTDOWN_DELAY_SECONDS = 5;
/** Of the container port that also serves metrics. */
export const HEALTH_PORT_NAME = 'health';
export const LABELS: Readonly<Record<string, string>> = { 'app.kubernetes.io/name': MANAGER };
/** As nobody of the image: what has no such user runs too. */
const USER = 65_532;

/**
 * All of an installation. WebhookConfigurations are last, so that no webhook is called for the objects before; their
 * `caBundle` is the manager's to write.
 */
export function installManifests(
  operators: readonly OperatorParts[],
  options: ManifestOptions,
): readonly KubeObject[] {
  const configurations = webhookConfigurations(operators, options);
  return [
    ...installObjects(operators, options),
    ...managerRoles(operators, options),
    ...(configurations.length === 0 ? [] : [service(options)]),
    deployment(options),
    disruptionBudget(options),
    networkPolicy(options, configurations.length > 0),
    ...(options.nodeAgents === true ? nodeAgents(options) : []),
    ...configurations,
  ];
}

function service({ namespace }: ManifestOptions): KubeObject {
  const ports = [{ name: 'webhooks', port: 443, targetPort: 'webhooks' }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: MANAGER, namespace, labels: LABELS },
    spec: { selector: LABELS, ports },
  };
}

/** Two replicas: one leads, the other stands by with full caches. Both serve webhooks. */
function deployment({ namespace, ...options }: ManifestOptions): KubeObject {
  const spread = { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' };
  const podSpec = {
    serviceAccountName: MANAGER,
    securityContext: { runAsNonRoot: true, runAsUser: USER, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: LABELS } }],
    // More than the delay, and the minute in which requests to webhooks that are under way are answered.
    terminationGracePeriodSeconds: 75,
    containers: [container({ namespace, ...options })],
    ...(options.nodeAgents === true && { volumes: addressOfAgents().volumes }),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: MANAGER, namespace, labels: LABELS },
    spec: {
      replicas: 2,
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: podSpec },
    },
  };
}

function container({ operators, namespace, image, ...more }: ManifestOptions): JsonObject {
  const probe = (path: string): JsonObject => ({ httpGet: { path, port: HEALTH_PORT_NAME } });
  return {
    name: 'manager',
    image,
    args: [
      'manager',
      `--operators=${operators.join(',')}`,
      `--namespace=${namespace}`,
      `--leader-elect-namespace=${namespace}`,
      `--webhook-port=${WEBHOOK_PORT}`,
      `--health-port=${HEALTH_PORT}`,
      // Until no API server calls a webhook of this pod any more.
      `--shutdown-delay-seconds=${SHUTDOWN_DELAY_SECONDS}`,
    ],
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
    ...environmentOf(more),
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

function environmentOf({ nodeAgents: hasAgents, settings = {} }: Partial<ManifestOptions>): JsonObject {
  const { env: ofAgents, volumeMounts } = addressOfAgents();
  // Kubernetes would put a variable in the place of `$(NAMESPACE)`.
  const given = Object.entries(settings).map(([name, value]) => ({
    name,
    value: value.replaceAll('$(', '$$$$('),
  }));
  const env = [...MEMORY, ...(hasAgents === true ? ofAgents : []), ...given];
  return { env, ...(hasAgents === true && { volumeMounts }) };
}

/**
 * Webhooks are called from anywhere: on most clusters API servers are no pods, and no selector finds them. Metrics are read
 * from namespaces with the label that kubebuilder's projects use. A node always reaches its own pods, with probes.
 */
function networkPolicy({ namespace }: ManifestOptions, hasWebhooks: boolean): KubeObject {
  const port = (name: string) => ({ protocol: 'TCP', port: name });
  const metrics = {
    from: [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }],
    ports: [port(HEALTH_PORT_NAME)],
  };
  const ingress = [...(hasWebhooks ? [{ ports: [port('webhooks')] }] : []), metrics];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: MANAGER, namespace, labels: LABELS },
    spec: { podSelector: { matchLabels: LABELS }, policyTypes: ['Ingress'], ingress },
  };
}

function disruptionBudget({ namespace }: ManifestOptions): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: MANAGER, namespace, labels: LABELS },
    spec: { minAvailable: 1, selector: { matchLabels: LABELS } },
  };
}
