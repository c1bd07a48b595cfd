import { appsv1, corev1, type Stored } from '@kubewright/kube';
import { valueAt } from '../../../packages/operators/src/kit/testing/value-at.ts';
import { at, isCondition, kindOf } from '../at-place.ts';
import type { Place, Scenario, Step } from '../scenario.ts';

const VERSION = 'monitoring.coreos.com/v1';
const PROMETHEUSES = kindOf(VERSION, 'Prometheus', 'prometheuses');
const RULES = kindOf(VERSION, 'PrometheusRule', 'prometheusrules');
const MONITORS = kindOf(VERSION, 'ServiceMonitor', 'servicemonitors');
const NAME = 'shop';
const CHILD = `prometheus-${NAME}`;
const RULE_FILES = `${CHILD}-rulefiles-0`;
const GOVERNING = 'prometheus-operated';
const CRASH = 'nodes.kubewright.dev/crash';

const podsOf = (place: Place): Promise<readonly Stored[]> => at(place).list(corev1.pods);
const isSaid = (live: Stored, type: string): boolean => {
  const conditions = valueAt(live, 'status.conditions') as
    | readonly { readonly type: string; readonly observedGeneration?: number }[]
    | undefined;
  const found = conditions?.find((one) => one.type === type);
  return isCondition(live, type) && found?.observedGeneration === live.metadata.generation;
};

/** All its pods are there and ready, and its operator says so. */
const isReady = async (place: Place): Promise<boolean> => {
  const live = await at(place).get(PROMETHEUSES, NAME);
  const pods = await podsOf(place);
  return (
    isSaid(live, 'Available') &&
    isSaid(live, 'Reconciled') &&
    pods.length === valueAt(live, 'spec.replicas') &&
    pods.every((pod) => isCondition(pod, 'Ready'))
  );
};

const groups = (expr: string) => [{ name: 'all', rules: [{ alert: 'Down', expr }] }];
let thresholds = 0;
const ruleText = (): string => `up < ${(thresholds += 1)}`;
/** Whether the operator has rendered what the rule says now. */
const isRendered = async (place: Place): Promise<boolean> => {
  const rule = await at(place).get(RULES, 'down');
  const expr = JSON.stringify(valueAt(rule, 'spec.groups.0.rules.0.expr')).slice(1, -1);
  const { data } = await at(place).get(corev1.configmaps, RULE_FILES);
  return JSON.stringify(data).includes(expr) && (await isReady(place));
};
const ruleChanged: Step = {
  title: 'a rule changes',
  act: (place) => at(place).merge(RULES, 'down', { spec: { groups: groups(ruleText()) } }),
  until: isRendered,
};

const scaled: Step = {
  title: 'it is scaled',
  act: async (place) => {
    const replicas = valueAt(await at(place).get(PROMETHEUSES, NAME), 'spec.replicas') === 1 ? 2 : 1;
    await at(place).merge(PROMETHEUSES, NAME, { spec: { replicas } });
  },
  until: isReady,
};

const uids = new Map<string, string>();
const setDeleted: Step = {
  title: 'its StatefulSet is deleted',
  act: async (place) => {
    uids.set(place.namespace, (await at(place).get(appsv1.statefulsets, CHILD)).metadata.uid);
    await at(place).remove(appsv1.statefulsets, CHILD);
  },
  until: async (place) =>
    (await at(place).get(appsv1.statefulsets, CHILD)).metadata.uid !== uids.get(place.namespace) &&
    (await isReady(place)),
};

/** For so long its controller may follow the annotation, whatever it does: what is planted then is none of its own accord. */
const FOLLOWED_MS = 61_000;
let annotatedAt = 0;
const followed: Step = {
  title: 'a minute has passed since it was annotated',
  act: async () => undefined,
  until: async () => performance.now() - annotatedAt > FOLLOWED_MS,
};

/** Prometheus servers: what they scrape and which rules they have is in other objects. */
export const prometheusOperator: Scenario = {
  name: 'prometheus-operator',
  leftOut: 'its webhooks',
  launch: ({ ports: [web] }) => ({ args: [`--web.listen-address=127.0.0.1:${web}`] }),
  resources: [
    { apiGroups: ['monitoring.coreos.com'], resources: ['*'] },
    { apiGroups: ['apps'], resources: ['statefulsets'] },
    { apiGroups: [''], resources: ['services', 'secrets', 'pods'] },
  ],
  steps: [
    {
      title: 'a Prometheus with a rule is created',
      act: async (place) => {
        await at(place).create(RULES, 'down', { spec: { groups: groups(ruleText()) } });
        await at(place).create(PROMETHEUSES, NAME, {
          spec: {
            replicas: 1,
            ruleSelector: {},
            serviceMonitorSelector: {},
            // Simulated, it would not end.
            initContainers: [{ name: 'init-config-reloader', command: ['true'] }],
          },
        });
      },
      until: isRendered,
    },
    ruleChanged,
    {
      title: 'a ServiceMonitor is created',
      act: (place) =>
        at(place).create(MONITORS, 'cart', {
          spec: { selector: { matchLabels: { app: 'cart' } }, endpoints: [{ port: 'metrics' }] },
        }),
      until: isReady,
    },
    scaled,
    {
      title: 'somebody annotates it',
      act: async (place) => {
        await at(place).merge(PROMETHEUSES, NAME, {
          metadata: { annotations: { 'example.com/team': 'shop' } },
        });
        annotatedAt = performance.now();
      },
      until: async (place) =>
        (await at(place).get(appsv1.statefulsets, CHILD)).metadata.annotations?.['example.com/team'] ===
          'shop' && (await isReady(place)),
    },
    setDeleted,
    {
      title: 'a pod fails',
      act: (place) =>
        at(place).merge(corev1.pods, `${CHILD}-0`, { metadata: { annotations: { [CRASH]: 'true' } } }),
    },
    {
      title: 'that pod, the Service and the Secret are deleted, and a rule changes',
      act: async (place) => {
        await at(place).remove(corev1.pods, `${CHILD}-0`);
        await at(place).remove(corev1.services, GOVERNING);
        await at(place).remove(corev1.secrets, CHILD);
        await ruleChanged.act(place);
      },
      until: async (place) => {
        await at(place).get(corev1.services, GOVERNING);
        await at(place).get(corev1.secrets, CHILD);
        return isRendered(place);
      },
    },
  ],
  later: [setDeleted, ruleChanged, scaled, followed],
  provoke: { title: setDeleted.title, act: setDeleted.act },
};
