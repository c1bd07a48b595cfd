import type { Json, JsonObject } from '@kubewright/kube';
import type { Operator } from '@kubewright/operators';
import { SIDECAR } from '../../packages/kubewright/src/run/dashboards/dashboard-objects.ts';
import { linesOf } from './write-template.ts';

/** One value of the chart. */
type Leaf = { readonly help: string; readonly value: Json; readonly schema?: JsonObject };
type Group = { readonly help: string; readonly values: Readonly<Record<string, Leaf | Group>> };

const NAMED = { type: 'object', additionalProperties: { type: 'string' } };
const LIST = { type: 'array', items: { type: 'object' } };
const leaf = (help: string, value: Json, schema?: JsonObject): Leaf => ({
  help,
  value,
  ...(schema === undefined ? {} : { schema }),
});
const group = (help: string, values: Group['values']): Group => ({ help, values });
const enabled = (help: string, value: boolean): Leaf => leaf(help, value, { type: 'boolean' });

/** The values, in the order of `values.yaml`. */
function chartValues(operators: readonly Operator[], resources: Json): Group {
  return group('Values of the chart kubewright.', {
    operators: group(
      'The operators that run. One that is switched off leaves its CustomResourceDefinitions, and their objects.',
      Object.fromEntries(operators.map((operator) => [operator.name, operatorValues(operator)])),
    ),
    image: group('The image of the manager and of the agents of nodes.', {
      repository: leaf('The image without a tag.', 'kubewright', { type: 'string', minLength: 1 }),
      tag: leaf("Default: the chart's appVersion.", ''),
      digest: leaf('As sha256:…, in place of the tag.', '', {
        type: 'string',
        pattern: '^(sha256:[0-9a-f]{64})?$',
      }),
      pullPolicy: leaf('When nodes pull it.', 'IfNotPresent', {
        type: 'string',
        enum: ['Always', 'IfNotPresent', 'Never'],
      }),
    }),
    ...ofPod(resources),
    ...certificates(),
    ...aroundManager(),
  });
}

function ofPod(resources: Json): Group['values'] {
  return {
    imagePullSecrets: leaf('As in a pod.', [], LIST),
    replicas: leaf('One leads, the others stand by with full caches. All serve webhooks.', 2, {
      type: 'integer',
      minimum: 1,
    }),
    resources: leaf('Of the manager.', resources, { type: 'object' }),
    priorityClassName: leaf('Of the manager, as system-cluster-critical.', ''),
    topologySpreadConstraints: leaf(
      'Default: replicas on different nodes, where there are several.',
      [],
      LIST,
    ),
    nodeSelector: leaf('Of the manager.', {}, NAMED),
    tolerations: leaf('Of the manager.', [], LIST),
    affinity: leaf('Of the manager.', {}, { type: 'object' }),
    podAnnotations: leaf('Of the manager.', {}, NAMED),
    podLabels: leaf('Of the manager, besides those by which it is selected.', {}, NAMED),
    extraEnv: leaf('More environment variables of the manager, as in a container.', [], LIST),
    extraArgs: leaf('More arguments of "kubewright manager".', [], {
      type: 'array',
      items: { type: 'string' },
    }),
  };
}

function operatorValues({ summary, settings = {} }: Operator): Group {
  const properties = Object.fromEntries(
    Object.entries(settings).map(([name, description]) => [name, { type: 'string', description }]),
  );
  const help = 'Its settings, by environment variable: docs/reference has them all.';
  return group(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, {
    enabled: enabled('Whether it runs.', true),
    settings: leaf(help, {}, { type: 'object', additionalProperties: false, properties }),
  });
}

function certificates(): Group['values'] {
  return {
    crds: group('CustomResourceDefinitions, which "helm upgrade" updates.', {
      install: enabled('Whether the chart has them.', true),
      keep: enabled(
        'Whether they, and so all of their objects, are kept when the release is uninstalled.',
        true,
      ),
    }),
    webhooks: group('The certificate of webhooks. Default: the manager issues and rotates its own.', {
      certManager: group('Or cert-manager issues it, and writes it into the configurations.', {
        enabled: enabled('Whether it does.', false),
        issuerRef: leaf(
          'An Issuer or a ClusterIssuer. Default: a self-signed Issuer of the chart.',
          {},
          {
            type: 'object',
            properties: { name: { type: 'string' }, kind: { type: 'string' }, group: { type: 'string' } },
            additionalProperties: false,
          },
        ),
      }),
    }),
  };
}

function aroundManager(): Group['values'] {
  return {
    podDisruptionBudget: group('For more than one replica.', {
      enabled: enabled('Whether there is one.', true),
    }),
    networkPolicy: group('Webhooks are open to all, because API servers are no pods; metrics to some.', {
      enabled: enabled('Whether there is one.', true),
      metricsFrom: leaf(
        'Who may read metrics.',
        [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }],
        LIST,
      ),
    }),
    podMonitor: group('A PodMonitor of the Prometheus Operator.', {
      enabled: enabled('Whether there is one.', false),
      labels: leaf('By which a Prometheus selects it.', {}, NAMED),
      interval: leaf('As 30s. Default: that of Prometheus.', ''),
    }),
    prometheusRule: group("A PrometheusRule with the operators' alerts.", {
      enabled: enabled('Whether there is one.', false),
      labels: leaf('By which a Prometheus selects it.', {}, NAMED),
    }),
    dashboards: group(
      "A ConfigMap for each operator with its dashboard, for the sidecar of Grafana's chart.",
      {
        enabled: enabled('Whether there are some.', false),
        labels: leaf('By which the sidecar finds them.', SIDECAR, NAMED),
      },
    ),
    nodeAgents: group(
      'Agents on all nodes, with which migration moves unmodified applications: privileged. docs/migration.md has the Secret that they need.',
      { enabled: enabled('Whether they run.', false) },
    ),
  };
}

/** `values.yaml` and `values.schema.json`. */
export function valueFiles(
  operators: readonly Operator[],
  resources: Json,
): { readonly yaml: string; readonly schema: string } {
  const values = chartValues(operators, resources);
  const root = schemaOf(values);
  // A chart of charts hands `global` to all of them.
  const properties = { global: { type: 'object' }, ...(root['properties'] as JsonObject) };
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', ...root, properties };
  return {
    yaml: `${yamlOf(values.values, '').join('\n')}\n`,
    schema: `${JSON.stringify(schema, undefined, 2)}\n`,
  };
}

function yamlOf(values: Group['values'], indent: string): readonly string[] {
  return Object.entries(values).flatMap(([name, one]) => {
    const help = `${indent}# ${one.help}`;
    if ('values' in one) return [help, `${indent}${name}:`, ...yamlOf(one.values, `${indent}  `)];
    return [help, ...linesOf({ [name]: one.value }, indent)];
  });
}

function schemaOf(one: Leaf | Group): JsonObject {
  if (!('values' in one)) return { description: one.help, ...(one.schema ?? { type: typeof one.value }) };
  const properties = Object.entries(one.values).map(([name, value]) => [name, schemaOf(value)]);
  return {
    description: one.help,
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}
