import type { History, Scenario, ScenarioContext } from '@kubewright/cluster';
import { type corev1, isConditionTrue } from '@kubewright/kube';
import { anyKindRoles, driftParts, installOperators, KAUSALITIES } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { certify } from './drift.ts';
import { OPERATOR_DAYS } from './operator-days.ts';
import { operatorReplica } from './operator-replica.ts';
import { configureWebhooks, type OperatorDay, operatorScenario } from './operator-scenario.ts';

/** The webhooks of drift are called here: the other operator may have its own. */
const URL = 'https://drift.test';
const POLICY = {
  apiVersion: 'kausality.io/v1alpha1',
  kind: 'Kausality',
  metadata: { name: 'parents' },
} as const;
const CHILDREN = [
  { apiGroups: [''], resources: ['configmaps', 'secrets', 'services', 'persistentvolumeclaims'] },
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'] },
  { apiGroups: ['batch'], resources: ['jobs'] },
];

/** Kinds of a project: parents and children. */
type Project = {
  readonly apiGroups: readonly string[];
  /** The label that all its children have; default: all children are tracked, also those of others. */
  readonly label?: string;
  /** That of what others make in its place. */
  readonly notLabel?: string;
  /** Invariants of the day that count what drift records: it replaces its own record at each write. */
  readonly without?: readonly string[];
};

/** The day of another operator, where drift of everything that it writes is denied: it does not notice, and none is seen. */
function besideDrift(day: OperatorDay, project: Project, drift = driftParts): Scenario {
  const { without = [] } = project;
  const kept = Object.fromEntries(Object.entries(day.invariants).filter(([name]) => !without.includes(name)));
  const replica = operatorReplica({
    name: 'drift',
    operator: () => drift,
    env: {},
    elected: false,
    webhooksUrl: URL,
  });
  return operatorScenario({
    ...day,
    components: [...(day.components ?? []), replica],
    observed: [...day.observed, ['', 'events']],
    async prepare(context) {
      await installDrift(context);
      await day.prepare(context);
      for (const policy of policiesFor(project)) await context.client.create(KAUSALITIES, policy);
    },
    async script(context) {
      const { client, clock, random, signal } = context;
      const wait = { clock, random: () => random.next(), signal, timeoutMs: 600_000 };
      await waitForObject(
        client,
        KAUSALITIES,
        POLICY.metadata,
        (live) => isConditionTrue(live?.status?.conditions, 'Ready'),
        wait,
      );
      await day.script?.(context);
    },
    invariants: { ...kept, 'nothing of it is drift': alarm },
  });
}

function policiesFor({ apiGroups, label, notLabel }: Project) {
  const own = apiGroups.map((group) => ({ apiGroups: [group], resources: ['*'] }));
  const matchExpressions = [
    ...(label === undefined ? [] : [{ key: label, operator: 'Exists' as const }]),
    ...(notLabel === undefined ? [] : [{ key: notLabel, operator: 'DoesNotExist' as const }]),
  ];
  const selected = matchExpressions.length === 0 ? {} : { objectSelector: { matchExpressions } };
  const children = { mode: 'enforce' as const, resources: CHILDREN, ...selected };
  return [
    { ...POLICY, spec: { mode: 'enforce' as const, resources: own } },
    { ...POLICY, metadata: { name: 'children' }, spec: children },
  ];
}

async function installDrift(context: ScenarioContext): Promise<void> {
  const { client, clock, random } = context;
  const more = anyKindRoles([driftParts], { apiGroups: ['*'], resources: ['*'] });
  await installOperators(client, [driftParts], { clock, random: () => random.next(), more });
  await configureWebhooks(context, driftParts, URL);
  await certify(context);
}

export function alarm(history: History): string | undefined {
  const events = history.all.filter(({ resource }) => resource === 'events');
  const found = events
    .map(({ object }) => object as corev1.Event)
    .find(({ reason }) => reason === 'DriftDetected');
  return found?.message;
}

const NAMED: Readonly<Record<string, Project>> = {
  ownership: { apiGroups: ['eno.azure.io'], without: ['no claim is lost', 'no claim beside it is lost'] },
  classes: { apiGroups: ['oaas.io'], label: 'oaas.io/owner', notLabel: 'serving.knative.dev/revision' },
  migration: { apiGroups: ['ms2m.io'] },
  capture: {
    apiGroups: ['storage-foundation.deckhouse.io', 'state-snapshotter.deckhouse.io', 'deckhouse.io'],
  },
};

/** The day of each other operator beside drift. */
export const BESIDE_DRIFT: Readonly<Record<string, Scenario>> = Object.fromEntries(
  Object.entries(NAMED).map(([name, project]) => [name, besideDrift(dayOf(name), project)]),
);

function dayOf(name: string): OperatorDay {
  const day = OPERATOR_DAYS[name];
  if (day === undefined) throw new TypeError(`there is no operator ${name}`);
  return { ...day, name: `${name}-beside-drift` };
}
