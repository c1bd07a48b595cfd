import { sleep } from '@kubewright/client';
import type { Scenario, ScenarioContext } from '@kubewright/cluster';
import { appsv1, isConditionTrue, type JsonObject, type KubeObject } from '@kubewright/kube';
import {
  addDriftWebhook,
  CLASS_RUNTIMES,
  type ClassRuntime,
  driftGuards,
  driftParts,
  type DriftTools,
  KAUSALITIES,
  MANIFEST_CAPTURE_REQUESTS,
  type OperatorParts,
} from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { alarm } from './beside-drift.ts';
import { captureDay } from './capture.ts';
import { classesRightsDay } from './classes.ts';
import { certify } from './drift.ts';
import { orphaned, wentBack } from './migration/invariants.ts';
import { migrationDay } from './migration/migration.ts';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';
import { COMPOSITIONS, object, SLICES } from './ownership-objects.ts';
import { ownershipDay } from './ownership.ts';

const NAMESPACE = 'default';
/** The Deployment that `classes` makes of its function. */
const FRONT = { namespace: NAMESPACE, name: 'front' };
/** The StatefulSet of which `migration` moves a pod. */
const CONSUMER = { namespace: NAMESPACE, name: 'consumer' };
/** What `ownership` gives to both. */
const TEAM = { team: 'shop' };
/** What the load asks for in the end. */
const REPLICAS = 3;
/** Calls that the managers make, about. */
const CALLS = 400;

const POLICY = {
  apiVersion: 'kausality.io/v1alpha1',
  kind: 'Kausality',
  metadata: { name: 'all-that-operators-write' },
  spec: {
    mode: 'enforce',
    resources: [
      { apiGroups: [''], resources: ['configmaps', 'secrets', 'services', 'pods'] },
      { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'replicasets'] },
      ...[
        'oaas.io',
        'ms2m.io',
        'eno.azure.io',
        'storage-foundation.deckhouse.io',
        'state-snapshotter.deckhouse.io',
        'deckhouse.io',
      ].map((group) => ({ apiGroups: [group], resources: ['*'] })),
    ],
  },
} as const;

const migration = migrationDay({ workloads: ['StatefulSet'] });
const classes: OperatorDay = {
  ...classesRightsDay,
  // A world has no package manager here.
  operator: {
    ...classesRightsDay.operator,
    parts: classesRightsDay.operator.parts.filter(({ account }) => account === 'classes'),
  },
};
const capture = captureDay();

const FRONT_CLASS = {
  apiVersion: 'oaas.io/v1alpha1',
  kind: 'ClassRuntime',
  metadata: FRONT,
  spec: {
    addons: [],
    functions: [{ function_key: 'f', provision_config: { container_image: 'a:1' } }],
    enforcement: { mode: 'enforce', dimensions: ['replicas'] },
  },
};

/** A few fields of an object that somebody else has made. */
const fieldsOf = (kind: string, key: typeof FRONT, more: JsonObject = {}): { readonly manifest: string } => ({
  manifest: JSON.stringify({ apiVersion: 'apps/v1', kind, metadata: { ...key, labels: TEAM }, ...more }),
});

const waiting = ({ clock, random, signal }: ScenarioContext) => ({
  clock,
  random: () => random.next(),
  signal,
  timeoutMs: 600_000,
});

/** The manifest of what others have made asks for a label, and for a field of the Deployment's spec. */
async function own(context: ScenarioContext): Promise<void> {
  const { client } = context;
  for (const [ref, key] of [
    [appsv1.deployments, FRONT],
    [appsv1.statefulsets, CONSUMER],
  ] as const)
    await waitForObject<KubeObject>(client, ref, key, (live) => live !== undefined, waiting(context));
  const apiVersion = 'eno.azure.io/v1';
  const metadata = { namespace: NAMESPACE, name: 'teams' };
  const composition = await client.create(
    COMPOSITIONS,
    object({ apiVersion, kind: 'Composition', metadata, spec: {} }),
  );
  const owner = { apiVersion, kind: 'Composition', name: metadata.name, uid: composition.metadata.uid ?? '' };
  const resources = [
    fieldsOf('Deployment', FRONT, { spec: { minReadySeconds: 1 } }),
    // With another spec it is rolled out for a moment, and a migration that somebody asks for then is rejected.
    fieldsOf('StatefulSet', CONSUMER),
  ];
  const placed = { ...metadata, ownerReferences: [{ ...owner, controller: true }] };
  await client.create(
    SLICES,
    object({ apiVersion, kind: 'ResourceSlice', metadata: placed, spec: { resources } }),
  );
}

/** All of it is captured, anew until that succeeds. */
async function captureAll(context: ScenarioContext): Promise<void> {
  const { client } = context;
  const targets = [
    { apiVersion: 'apps/v1', kind: 'Deployment', name: FRONT.name },
    { apiVersion: 'apps/v1', kind: 'StatefulSet', name: CONSUMER.name },
    { apiVersion: 'v1', kind: 'Service', name: FRONT.name },
  ];
  for (let index = 0; !context.signal.aborted; index++) {
    const metadata = { namespace: NAMESPACE, name: `all-${index}` };
    const apiVersion = 'state-snapshotter.deckhouse.io/v1alpha1';
    const request = { apiVersion, kind: 'ManifestCaptureRequest', metadata, spec: { targets } };
    await client.create<KubeObject>(MANIFEST_CAPTURE_REQUESTS, request);
    const live = await waitForObject(
      client,
      MANIFEST_CAPTURE_REQUESTS,
      metadata,
      (one) => one === undefined || one.status?.completionTimestamp !== undefined,
      waiting(context),
    );
    if (isConditionTrue(live?.status?.conditions, 'Ready')) return;
  }
}

const finished = new WeakSet<AbortSignal>();

/** While a pod of the StatefulSet moves under load, and the class scales its Deployment, both are given fields and captured. */
async function script(context: ScenarioContext): Promise<void> {
  const { client, clock, random, signal } = context;
  await certify(context);
  await waitForObject(
    client,
    KAUSALITIES,
    POLICY.metadata,
    (live) => isConditionTrue(live?.status?.conditions, 'Ready'),
    waiting(context),
  );
  await client.create<KubeObject>(CLASS_RUNTIMES, FRONT_CLASS);
  const beside = async (): Promise<void> => {
    await own(context);
    await sleep(clock, random.below(20_000), signal);
    await captureAll(context);
  };
  await Promise.all([migration.script?.(context), beside()]);
  finished.add(signal);
}

/** Somebody labels the StatefulSet. */
async function rival({ client, random }: ScenarioContext): Promise<void> {
  const { items } = await client.list(appsv1.statefulsets, { namespace: NAMESPACE });
  const body = { metadata: { labels: { seen: String(random.below(1000)) } } };
  for (const _one of items) await client.patch(appsv1.statefulsets, CONSUMER, { type: 'merge', body });
}

async function missing(context: ScenarioContext): Promise<string | undefined> {
  const { client, signal } = context;
  if (!finished.has(signal)) return 'not all has been done';
  const { items: left } = await client.list<KubeObject>(MANIFEST_CAPTURE_REQUESTS, { namespace: NAMESPACE });
  if (left.length > 0) return `${left.length} requests are left`;
  const front = await client.get(appsv1.deployments, FRONT);
  const consumer = await client.get(appsv1.statefulsets, CONSUMER);
  return (
    lackOf(front, consumer) ??
    latenessOf(await client.get(CLASS_RUNTIMES, FRONT)) ??
    migration.missing(context)
  );
}

/** What the class enforces, and what the manifest gives. */
function lackOf(front: appsv1.Deployment, consumer: appsv1.StatefulSet): string | undefined {
  if (front.spec?.replicas !== REPLICAS) return `the Deployment has ${front.spec?.replicas} replicas`;
  const labels = [front, consumer].map(({ metadata }) => metadata.labels?.['team'] ?? 'none');
  if (labels.some((team) => team !== TEAM.team)) return `the objects have the teams ${labels.join(' ')}`;
  return front.spec.minReadySeconds === 1 ? undefined : 'the Deployment lacks a field';
}

function latenessOf({ status = {} }: ClassRuntime): string | undefined {
  const { phase = 'none', conditions, message } = status;
  if (phase !== 'available') return `the class is ${phase}: ${message}`;
  return isConditionTrue(conditions, 'NfrEnforced') ? undefined : 'the class does not enforce its replicas';
}

function merged(all: readonly OperatorParts[]): OperatorParts {
  return {
    resources: all.flatMap(({ resources }) => resources),
    parts: all.flatMap(({ parts }) => parts),
    webhooks: all.flatMap(({ webhooks = [] }) => webhooks),
  };
}

/** The operator `drift`, or one that is broken on purpose. */
function driftWith(tools: Partial<DriftTools>): OperatorParts {
  const [webhook, ...others] = driftParts.parts;
  if (webhook === undefined) return driftParts;
  const add = (...[manager]: Parameters<typeof webhook.add>): void =>
    addDriftWebhook(manager, { ...driftGuards(manager), decisionLogLimit: 50, ...tools });
  return { ...driftParts, parts: [{ ...webhook, add }, ...others] };
}

/** All five operators in two managers act on the same objects, where drift of everything that they write is denied. */
export function togetherScenario(tools: Partial<DriftTools> = {}): Scenario {
  const days: readonly OperatorDay[] = [migration, capture, ownershipDay, classes];
  const drift = driftWith(tools);
  return operatorScenario({
    name: 'together',
    operator: merged([...days.map(({ operator }) => operator), drift]),
    operatorIn: (_operator, environment) =>
      merged([
        ...days.map(({ operator, operatorIn }) => operatorIn?.(operator, environment) ?? operator),
        drift,
      ]),
    env: Object.assign({}, ...days.map(({ env = {} }) => env)),
    anyKind: { apiGroups: ['*'], resources: ['*'] },
    components: migration.components ?? [],
    observed: [
      ...migration.observed,
      ['', 'events'],
      ['oaas.io', 'classruntimes'],
      ['eno.azure.io', 'resourceslices'],
      ['state-snapshotter.deckhouse.io', 'manifestcapturerequests'],
    ],
    async prepare({ client }) {
      await client.create(KAUSALITIES, POLICY);
    },
    script,
    rival,
    missing,
    calls: CALLS,
    invariants: {
      'nothing of it is drift': alarm,
      'there is no way back': wentBack,
      'no pod of the set is an orphan': orphaned,
    },
  });
}
