import { ignoreNotFound, sleep } from '@kubewright/client';
import type { History, Scenario, ScenarioContext } from '@kubewright/cluster';
import { corev1, isConditionTrue, type KubeObject, type Stored } from '@kubewright/kube';
import {
  addDriftWebhook,
  decideAdmission,
  driftGuards,
  driftParts,
  type DriftTools,
  KAUSALITIES,
} from '@kubewright/operators';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { certify } from './drift.ts';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';
import {
  isDone,
  latestChildOf,
  styledController,
  STYLES,
  VERSION,
  WIDGETS,
  wronglyDenied,
} from './styled-controller.ts';

const NAMESPACE = 'default';
const NAMES = Object.keys(STYLES);
/** Longer than a write can be on its way through webhooks that are slow, and than a cache that is behind is trusted. */
const SETTLED_MS = 20_000;
/** Longer than any initialization takes, by any clock: then also what says nothing of itself is initialized. */
const INITIALIZED_MS = 760_000;

async function prepare({ client, clock, random }: ScenarioContext): Promise<void> {
  const options = { clock, random: () => random.next(), fieldManager: 'admin' };
  await installDefinitions(client, [WIDGETS.definition], options);
  const data = { version: '1' };
  await client.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: VERSION, data });
  await client.create(KAUSALITIES, {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'Kausality',
    metadata: { name: 'styles' },
    spec: {
      mode: 'enforce',
      // One style says nothing by which it could be known.
      enforceUncovered: true,
      namespaces: { names: [NAMESPACE] },
      resources: [
        { apiGroups: [''], resources: ['configmaps', 'secrets'] },
        { apiGroups: [WIDGETS.ref.group], resources: ['widgets'] },
      ],
    },
  });
}

/** Somebody makes a Widget of each style, and changes all; a new version of the controller comes, and goes. */
async function script(context: ScenarioContext): Promise<void> {
  const { client, clock, random, signal } = context;
  const wait = { clock, random: () => random.next(), signal, timeoutMs: 300_000 };
  const pause = (ms: number): Promise<void> => sleep(clock, random.below(ms), signal);
  const release = (version: string): Promise<unknown> =>
    client.patch(corev1.configmaps, VERSION, { type: 'merge', body: { data: { version } } });
  const paint = async (color: string): Promise<void> => {
    for (const name of NAMES) {
      const key = { namespace: NAMESPACE, name };
      await client.patch<KubeObject>(WIDGETS.ref, key, { type: 'merge', body: { spec: { color } } });
      await pause(3000);
    }
  };
  const settled = async (): Promise<void> => {
    for (const name of NAMES) {
      const key = { namespace: NAMESPACE, name };
      const isOver = (widget?: Stored): boolean => widget !== undefined && isDone(widget);
      await waitForObject<KubeObject>(client, WIDGETS.ref, key, isOver, wait);
    }
    await sleep(clock, SETTLED_MS, signal);
  };
  await certify(context);
  const policy = { name: 'styles' };
  await waitForObject(
    client,
    KAUSALITIES,
    policy,
    (live) => isConditionTrue(live?.status?.conditions, 'Ready'),
    wait,
  );
  for (const style of NAMES)
    await client.create<KubeObject>(WIDGETS.ref, {
      apiVersion: WIDGETS.apiVersion,
      kind: 'Widget',
      metadata: { namespace: NAMESPACE, name: style, annotations: { 'example.com/team': 'shop' } },
      spec: { style, color: 'red' },
    });
  await pause(15_000);
  await paint('blue');
  await settled();
  await rival(context);
  await settled();
  for (const version of ['2', '3']) {
    await release(version);
    await pause(20_000);
    await release('1');
    await sleep(clock, version === '2' ? INITIALIZED_MS : SETTLED_MS, signal);
  }
  await paint('green');
}

/** Somebody deletes a child. */
async function rival({ client, random }: ScenarioContext): Promise<void> {
  const name = NAMES[random.below(NAMES.length)] ?? '';
  await ignoreNotFound(client.delete(corev1.configmaps, { namespace: NAMESPACE, name }));
}

async function missing({ client }: ScenarioContext): Promise<string | undefined> {
  for (const name of NAMES) {
    const widget = await ignoreNotFound(client.get<KubeObject>(WIDGETS.ref, { namespace: NAMESPACE, name }));
    if (widget === undefined) return `Widget ${name} is not there`;
    const map = latestChildOf(widget);
    const live = await ignoreNotFound(client.get(corev1.configmaps, { namespace: NAMESPACE, name: map }));
    if (live?.data?.['color'] !== 'green') return `ConfigMap ${map} has ${JSON.stringify(live?.data)}`;
  }
  return undefined;
}

/** What the new version makes of a spec that nobody has changed is stored by nobody. */
function missed(history: History): string | undefined {
  const drifted = history.all.find(
    ({ resource, object }) =>
      resource === 'configmaps' &&
      object.metadata.namespace === NAMESPACE &&
      (object as corev1.ConfigMap).data?.['theme'] !== undefined,
  );
  return drifted && `ConfigMap ${drifted.object.metadata.name} was changed by the new version`;
}

const day: OperatorDay = {
  name: 'drift-styles',
  operator: driftParts,
  anyKind: { apiGroups: [WIDGETS.ref.group], resources: ['widgets'] },
  components: [styledController],
  observed: [['', 'configmaps']],
  prepare,
  script,
  rival,
  missing,
  calls: 150,
  invariants: {
    'an expected change is not denied': wronglyDenied,
    'planted drift is denied': missed,
  },
};

export function stylesScenario(tools: Partial<DriftTools> = {}): Scenario {
  const [webhook, ...others] = driftParts.parts;
  if (webhook === undefined) return operatorScenario(day);
  const changed = {
    ...webhook,
    add: (...[manager]: Parameters<typeof webhook.add>) =>
      addDriftWebhook(manager, { ...driftGuards(manager), decisionLogLimit: 50, ...tools }),
  };
  return operatorScenario({ ...day, operator: { ...driftParts, parts: [changed, ...others] } });
}

/** Operators that are broken on purpose. */
export const stylesVariants: Readonly<Record<string, Partial<DriftTools>>> = {
  /** A change is done as soon as a status has seen it. */
  hurried: {
    decide: (review, facts, now) => {
      const { parent } = facts;
      if (parent === undefined) return decideAdmission(review, facts, now);
      const settled = { 'kausality.io/settled': String(parent.metadata.generation ?? 0) };
      const annotations = { ...parent.metadata.annotations, ...settled };
      return decideAdmission(
        review,
        { ...facts, parent: { ...parent, metadata: { ...parent.metadata, annotations } } },
        now,
      );
    },
  },
  /** Nothing that was made before is known. */
  forgetful: { decide: (review, facts, now) => decideAdmission(review, { ...facts, contents: [] }, now) },
  /** All that a controller does is expected. */
  lenient: {
    decide: (review, facts, now) => {
      const decision = decideAdmission(review, facts, now);
      return decision.reason === 'Drift' ? decideAdmission(review, { ...facts, mode: 'log' }, now) : decision;
    },
  },
};
