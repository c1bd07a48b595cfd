import type { JsonObject, KubeObject } from '@kubewright/kube';
import { MANAGER, managerRoles, webhookConfigurationRefs } from '@kubewright/operators';
import { nodeAgents } from '../../packages/kubewright/src/run/node-agents.ts';
import { dashboardObjects } from '../../packages/kubewright/src/run/dashboards/dashboard-objects.ts';
import { prometheusObjects } from '../../packages/kubewright/src/run/prometheus-objects.ts';
import { areSomeOn, HAS_AGENTS, isOn, USES_CERT_MANAGER, type Loaded, OPTIONS } from './conditions.ts';
import { deploymentTemplate, IMAGE, type PodTemplated, withPodSpec } from './deployment-template.ts';
import { entriesOf, optional, text, tree, type Value, when } from './write-template.ts';

/** The templates of what operators share, by their names. */
export function managerTemplates(
  operators: readonly Loaded[],
  manifests: readonly KubeObject[],
): Readonly<Record<string, readonly Value[]>> {
  const all = (kind: string): readonly KubeObject[] => manifests.filter((one) => one.kind === kind);
  const one = (kind: string): KubeObject & JsonObject => {
    const object = all(kind).at(0);
    if (object === undefined) throw new Error(`there is no ${kind}`);
    return object;
  };
  const accounts = all('ServiceAccount').filter(({ metadata }) => metadata.name === MANAGER);
  const replicated = 'and .Values.podDisruptionBudget.enabled (gt (int .Values.replicas) 1)';
  return {
    'manager.yaml': [
      ...accounts,
      ...roles(operators),
      when(areSomeOn(webhooked(operators)), one('Service')),
      deploymentTemplate(one('Deployment'), operators, webhooked(operators)),
      when(replicated, one('PodDisruptionBudget')),
      when('.Values.networkPolicy.enabled', networkPolicy(one('NetworkPolicy'), operators)),
    ],
    'prometheus.yaml': prometheus(operators),
    'dashboards.yaml': dashboards(operators),
    'node-agents.yaml': nodeAgents(OPTIONS).map((object) => when(HAS_AGENTS, agent(object))),
    'certificate.yaml': certificate(areSomeOn(webhooked(operators))),
  };
}

function webhooked(operators: readonly Loaded[]): readonly Loaded[] {
  return operators.filter(({ parts }) => webhookConfigurationRefs([parts]).length > 0);
}

/** Without the rules for CustomResourceDefinitions, which are the chart's: cluster-wide, there are those for webhooks alone. */
function roles(operators: readonly Loaded[]): readonly Value[] {
  const called = webhooked(operators);
  const ofEach = called.map(({ name, parts }) => ({ name, roles: managerRoles([parts], OPTIONS) }));
  const issues = `and (not ${USES_CERT_MANAGER}) (${areSomeOn(called)})`;
  return managerRoles([], OPTIONS).map((role, index) => {
    const shared = rulesOf(role);
    const own = ofEach.flatMap(({ name, roles: more }) =>
      rulesOf(more[index])
        .filter((rule) => !isIn(shared, rule) && !JSON.stringify(rule).includes('customresourcedefinitions'))
        .map((rule) => when(`and (not ${USES_CERT_MANAGER}) ${isOn(name)}`, rule)),
    );
    const object = role['rules'] === undefined ? role : ({ ...role, rules: [...shared, ...own] } as Value);
    return role.kind.startsWith('ClusterRole') ? when(issues, object) : object;
  });
}

function rulesOf(role: KubeObject | undefined): readonly JsonObject[] {
  return (role?.['rules'] ?? []) as readonly JsonObject[];
}

function isIn(rules: readonly JsonObject[], rule: JsonObject): boolean {
  return rules.some((one) => JSON.stringify(one) === JSON.stringify(rule));
}

function networkPolicy(object: KubeObject & JsonObject, operators: readonly Loaded[]): Value {
  const { ingress = [], ...spec } = object['spec'] as { readonly ingress?: readonly JsonObject[] };
  const [webhooks = {}, metrics = {}] = ingress;
  const open = [
    when(areSomeOn(webhooked(operators)), webhooks),
    { ...metrics, from: tree('.Values.networkPolicy.metricsFrom') },
  ];
  return { ...object, spec: { ...spec, ingress: open } };
}

function prometheus(operators: readonly Loaded[]): readonly Value[] {
  const named = operators.map(({ name, parts }) => ({ ...parts, name }));
  const [monitor, rule] = prometheusObjects(named, OPTIONS) as unknown as readonly [Monitor, Rule];
  const [endpoint] = monitor.spec.podMetricsEndpoints;
  const interval = when('.Values.podMonitor.interval', text('{{ .Values.podMonitor.interval }}'));
  const groups = rule.spec.groups.map((group) => when(isOn(group.name), group as unknown as Value));
  const alerting = areSomeOn(operators.filter(({ parts: { alerts = [] } }) => alerts.length > 0));
  return [
    when('.Values.podMonitor.enabled', {
      ...labelled(monitor, 'podMonitor.labels'),
      spec: { ...monitor.spec, podMetricsEndpoints: [{ ...endpoint, interval }] },
    }),
    when(`and .Values.prometheusRule.enabled (${alerting})`, {
      ...labelled(rule, 'prometheusRule.labels'),
      spec: { groups },
    }),
  ];
}

function dashboards(operators: readonly Loaded[]): readonly Value[] {
  return operators.flatMap((operator) =>
    dashboardObjects([operator], OPTIONS).map((object) => {
      const { grafana_dashboard: _sidecar, ...labels } = object.metadata.labels ?? {};
      const plain = { ...object, metadata: { ...object.metadata, labels } };
      const condition = `and .Values.dashboards.enabled ${isOn(operator.name)}`;
      return when(condition, labelled(plain, 'dashboards.labels'));
    }),
  );
}

type Monitor = KubeObject & { readonly spec: { readonly podMetricsEndpoints: readonly JsonObject[] } };
type Rule = KubeObject & { readonly spec: { readonly groups: readonly { readonly name: string }[] } };

function labelled({ metadata, ...rest }: KubeObject, path: string) {
  return { ...rest, metadata: { ...metadata, labels: { ...metadata.labels, '': entriesOf(path) } } };
}

function agent(object: KubeObject): Value {
  if (object.kind !== 'DaemonSet') return object;
  const daemonSet = object as unknown as PodTemplated;
  return withPodSpec(daemonSet, (podSpec) => ({
    ...podSpec,
    imagePullSecrets: optional('imagePullSecrets'),
    containers: podSpec.containers.map((container) => ({ ...container, ...IMAGE })),
  }));
}

/** cert-manager writes the Secret, and the authority into the configurations that name the Certificate. */
function certificate(hasWebhooks: string): readonly Value[] {
  const apiVersion = 'cert-manager.io/v1';
  const metadata = { name: `${MANAGER}-webhooks`, namespace: OPTIONS.namespace };
  const used = `and ${USES_CERT_MANAGER} (${hasWebhooks})`;
  const own = 'not .Values.webhooks.certManager.issuerRef';
  return [
    when(`and ${USES_CERT_MANAGER} (${hasWebhooks}) (${own})`, {
      apiVersion,
      kind: 'Issuer',
      metadata,
      spec: { selfSigned: {} },
    }),
    when(used, {
      apiVersion,
      kind: 'Certificate',
      metadata,
      spec: {
        secretName: `${MANAGER}-webhooks`,
        dnsNames: [`${MANAGER}.${OPTIONS.namespace}.svc`],
        issuerRef: text(
          `{{ .Values.webhooks.certManager.issuerRef | default (dict "kind" "Issuer" "name" "${metadata.name}") | toJson }}`,
        ),
      },
    }),
  ];
}
