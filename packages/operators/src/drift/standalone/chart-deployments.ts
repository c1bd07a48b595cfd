import { defined, type JsonObject, type KubeObject } from '@kubewright/kube';
import { BACKEND_PORT, type Callbacks } from './chart-callbacks.ts';
import type { ChartNames } from './chart-names.ts';
import type { ChartValues } from './chart-values.ts';

/** As nobody of the image: what has no such user runs too. */
const USER = 65_532;
const CERTIFICATES = '/etc/webhook/certs';

/** What runs in the pods of one Deployment. */
type Process = {
  readonly name: string;
  readonly component: string;
  readonly account: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  /** The port of its probes, by name. */
  readonly probed: string;
  readonly placement: ChartValues | ChartValues['controller'];
  readonly strategy?: JsonObject;
  readonly volumes?: readonly JsonObject[];
  readonly mounts?: readonly JsonObject[];
};

/** The labels that select the pods of a component. */
export function selectorOf(component: string, release: string): Readonly<Record<string, string>> {
  return {
    'app.kubernetes.io/name': `kausality-${component}`,
    'app.kubernetes.io/instance': release,
    'app.kubernetes.io/component': component,
  };
}

export type ChartImage = {
  readonly image: string;
  readonly release: string;
  /** Whether the path of the webhook has a segment. */
  readonly hasSegment: boolean;
};

/** The Deployments of webhook, controller and, where it is enabled, backend. */
export function chartDeployments(
  values: ChartValues,
  names: ChartNames,
  callbacks: Callbacks,
  image: ChartImage,
): readonly KubeObject[] {
  const processes = [
    webhookOf(values, names, callbacks, image.hasSegment),
    ...(values.controller.enabled ? [controllerOf(values, names)] : []),
    ...(values.backend.enabled ? [backendOf(values, names)] : []),
  ];
  return processes.map((process) => deploymentOf(process, values, names, image));
}

function webhookOf(
  values: ChartValues,
  names: ChartNames,
  { args, volumes, mounts }: Callbacks,
  hasSegment: boolean,
): Process {
  const { port, healthProbeBindAddress } = values.webhook;
  return {
    name: names.webhook,
    component: 'webhook',
    account: names.webhookAccount,
    args: [
      'webhook',
      `--port=${port}`,
      `--cert-dir=${CERTIFICATES}`,
      `--health-probe-bind-address=${healthProbeBindAddress}`,
      // Until no API server calls this pod any more.
      '--shutdown-delay-seconds=5',
      ...args,
    ],
    ports: [
      { name: 'webhook', containerPort: port },
      { name: 'health', containerPort: portOf(healthProbeBindAddress) },
    ],
    probed: 'health',
    placement: values,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    volumes: [certificateVolume(names, hasSegment), ...volumes],
    mounts: [{ name: 'cert', mountPath: CERTIFICATES, readOnly: true }, ...mounts],
  };
}

/** Certificate and segment in one folder. */
function certificateVolume({ certificate, path }: ChartNames, hasSegment: boolean): JsonObject {
  if (!hasSegment) return { name: 'cert', secret: { secretName: certificate } };
  const sources = [{ secret: { name: certificate } }, { secret: { name: path } }];
  return { name: 'cert', projected: { sources } };
}

function controllerOf({ controller }: ChartValues, names: ChartNames): Process {
  const { metricsBindAddress, healthProbeBindAddress, leaderElect } = controller;
  return {
    name: names.controller,
    component: 'controller',
    account: names.controller,
    args: [
      'controller',
      `--metrics-bind-address=${metricsBindAddress}`,
      `--health-probe-bind-address=${healthProbeBindAddress}`,
      `--webhook-name=${names.configuration}`,
      `--webhook-namespace=${names.namespace}`,
      `--webhook-service-name=${names.webhook}`,
      ...(leaderElect ? ['--leader-elect=true'] : []),
    ],
    ports: [
      { name: 'metrics', containerPort: portOf(metricsBindAddress) },
      { name: 'health', containerPort: portOf(healthProbeBindAddress) },
    ],
    probed: 'health',
    placement: controller,
  };
}

function backendOf(values: ChartValues, names: ChartNames): Process {
  return {
    name: names.backend,
    component: 'backend-log',
    account: 'default',
    args: ['backend', `--addr=:${BACKEND_PORT}`],
    ports: [{ name: 'http', containerPort: BACKEND_PORT }],
    probed: 'http',
    placement: { ...values, replicaCount: 1 },
  };
}

/** `:8081` and `0.0.0.0:8081` */
function portOf(address: string): number {
  return Number(address.split(':').at(-1));
}

function deploymentOf(
  process: Process,
  values: ChartValues,
  names: ChartNames,
  image: ChartImage,
): KubeObject {
  const { name, component, account, placement, strategy, volumes = [] } = process;
  const labels = selectorOf(component, image.release);
  const { podAnnotations: annotations, nodeSelector, tolerations, affinity } = placement;
  const spec = {
    serviceAccountName: account,
    imagePullSecrets: values.imagePullSecrets,
    securityContext: { runAsUser: USER, ...values.podSecurityContext },
    containers: [containerOf(process, values, image)],
    volumes,
    nodeSelector,
    tolerations,
    affinity,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: names.namespace, labels },
    spec: {
      replicas: placement.replicaCount,
      ...defined({ strategy }),
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec },
    },
  };
}

function containerOf(
  { component, args, ports, probed: port, placement, mounts = [] }: Process,
  { image: { pullPolicy }, securityContext }: ChartValues,
  { image }: ChartImage,
): JsonObject {
  const probe = (path: string): JsonObject => ({ httpGet: { path, port } });
  return {
    name: component,
    image,
    imagePullPolicy: pullPolicy,
    args: ['drift', ...args],
    ports,
    livenessProbe: probe('/healthz'),
    readinessProbe: probe(component === 'backend-log' ? '/healthz' : '/readyz'),
    resources: placement.resources,
    securityContext,
    volumeMounts: mounts,
  };
}
