import type { JsonObject, KubeObject } from '@kubewright/kube';
import {
  anyKindRoles,
  installObjects,
  MANAGER,
  managerRoles,
  type OperatorParts,
  webhookConfigurations,
} from '@kubewright/operators';
import { HEALTH_PORT, labelsOf, type ManagerImage, managerObjects, WEBHOOK_PORT } from './manager-objects.ts';
import { addressOfAgents, nodeAgents } from './node-agents.ts';

export type ManifestOptions = {
  /** Names, as `kubewright manager --operators` takes them. */
  readonly operators: readonly string[];
  readonly namespace: string;
  /** Its entry point is `kubewright`. */
  readonly image: string;
  /** Also the agents of `migration` on all nodes, and where they are for the manager. */
  readonly nodeAgents?: true;
  /** On which the operators may use their verbs on any kind: `configmaps`, `deployments.apps`, `*.apps`, `*`. */
  readonly kinds?: readonly string[];
  /** Of operators, by environment variable. */
  readonly settings?: Readonly<Record<string, string>>;
};

const SHUTDOWN_DELAY_SECONDS = 5;
export const LABELS: Readonly<Record<string, string>> = labelsOf(MANAGER);

/**
 * All of an installation. WebhookConfigurations are last, so that no webhook is called for the objects before; their
 * `caBundle` and paths are the manager's to write.
 */
export function installManifests(
  operators: readonly OperatorParts[],
  options: ManifestOptions,
): readonly KubeObject[] {
  const configurations = webhookConfigurations(operators, options).map(withoutPaths);
  return [
    ...installObjects(operators, options),
    ...managerRoles(operators, options),
    ...(options.kinds === undefined ? [] : anyKindRoles(operators, ...options.kinds.map(kindOf))),
    ...managerObjects(managerImage(options, configurations.length > 0)),
    ...(options.nodeAgents === true ? nodeAgents(options) : []),
    ...configurations,
  ];
}

/** `deployments.apps`, `*.apps`, or `*`: of all groups. */
function kindOf(text: string): {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
} {
  const [resource = '', ...group] = text.split('.');
  return { apiGroups: [text === '*' ? '*' : group.join('.')], resources: [resource] };
}

/** The manager adds a segment to each path: to apply one again would conflict with it, or undo that. */
function withoutPaths(configuration: KubeObject): KubeObject {
  const webhooks = configuration['webhooks'] as readonly JsonObject[] | undefined;
  if (webhooks === undefined) return configuration;
  const bare = webhooks.map((webhook) => {
    const clientConfig = webhook['clientConfig'] as JsonObject;
    const { path: _manager, ...service } = clientConfig['service'] as JsonObject;
    return { ...webhook, clientConfig: { ...clientConfig, service } };
  });
  return { ...configuration, webhooks: bare };
}

function managerImage(options: ManifestOptions, hasWebhooks: boolean): ManagerImage {
  const { namespace, image, settings = {} } = options;
  // Kubernetes would put a variable in the place of `$(NAMESPACE)`.
  const given = Object.entries(settings).map(([name, value]) => ({
    name,
    value: value.replaceAll('$(', '$$$$('),
  }));
  const agents = options.nodeAgents === true ? addressOfAgents() : undefined;
  return {
    name: MANAGER,
    namespace,
    image,
    args: argsOf(options),
    env: [...(agents?.env ?? []), ...given],
    ...(agents === undefined ? {} : { volumes: agents.volumes, volumeMounts: agents.volumeMounts }),
    hasWebhooks,
  };
}

function argsOf({ operators, namespace }: ManifestOptions): readonly string[] {
  return [
    'manager',
    `--operators=${operators.join(',')}`,
    `--namespace=${namespace}`,
    `--leader-elect-namespace=${namespace}`,
    `--webhook-port=${WEBHOOK_PORT}`,
    `--health-port=${HEALTH_PORT}`,
    // Until no API server calls a webhook of this pod any more.
    `--shutdown-delay-seconds=${SHUTDOWN_DELAY_SECONDS}`,
  ];
}
