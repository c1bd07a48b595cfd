import { createClient, ignoreNotFound, sleep, withRetry } from '@kubewright/client';
import type { Component, ScenarioContext, History, Scenario } from '@kubewright/cluster';
import { admissionregistrationv1, corev1, defined, isConditionTrue, type KubeObject } from '@kubewright/kube';
import {
  addDriftWebhook,
  APPROVAL_POLICIES,
  CLUSTER_APPROVAL_POLICIES,
  decideAdmission,
  DRIFT_ANNOTATIONS,
  driftGuards,
  driftParts,
  type DriftTools,
  KAUSALITIES,
} from '@kubewright/operators';
import {
  createManager,
  installDefinitions,
  silentLogger,
  waitForObject,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import {
  reconcileSite,
  type Render,
  SITE_CONTROLLER,
} from '../../packages/operators/src/drift/demo/site-controller.ts';
import { SITES } from '../../packages/operators/src/drift/demo/site.ts';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';

const NAMESPACE = 'default';
const WEB = { namespace: NAMESPACE, name: 'web' };
/** Which version of the controller runs; nobody judges it. */
const RELEASE = { namespace: 'kube-public', name: 'release' };
/** Longer than a write can be on its way through webhooks that are slow. */
const ON_ITS_WAY_MS = 20_000;
/** Calls that each replica makes, about. */
const CALLS = 60;

/** What versions of the controller make of a Site. From the second on they know better. */
const THEMES: Readonly<Record<string, string>> = { '2': 'dark', '3': 'light' };

/** The controller of Sites, whose versions are released by a ConfigMap. */
const sites: Component = {
  name: 'sites',
  async start({ connect, clock, random, signal }) {
    const client = createClient(withRetry(connect(SITE_CONTROLLER), { clock, random }));
    const manager = createManager({ client, clock, random, log: silentLogger });
    manager.addController({
      name: 'sites',
      sources: [
        watchKind(SITES),
        watchMapped(corev1.configmaps, () => [WEB], { cached: { namespace: RELEASE.namespace } }),
      ],
      // Whoever is denied tries again, but not without end.
      backoff: { baseMs: 100, maxMs: 20_000 },
      reconciler: {
        async reconcile(request) {
          if (manager.cache.get(SITES, request) === undefined) return {};
          const version = manager.cache.get(corev1.configmaps, RELEASE)?.data?.['version'] ?? '1';
          const theme = THEMES[version];
          const render: Render = ({ spec }) => ({
            color: spec.color,
            ...defined({ theme }),
          });
          const wrote = await reconcileSite(client, WEB, render, clock.now());
          // A write that somebody's webhook undoes brings no event.
          return wrote ? { requeueAfter: 1000 } : {};
        },
      },
    });
    await manager.start(signal);
  },
};

const POLICY = {
  apiVersion: 'kausality.io/v1alpha1',
  kind: 'Kausality',
  metadata: { name: 'shop' },
  spec: {
    mode: 'enforce',
    namespaces: { names: [NAMESPACE] },
    resources: [
      { apiGroups: [''], resources: ['configmaps'] },
      { apiGroups: [SITES.group], resources: ['sites'] },
    ],
  },
} as const;

/** Of drift that is none of what happens here. */
const APPROVED_SECRETS = {
  apiVersion: 'kausality.io/v1alpha1',
  spec: { rules: [{ kind: 'Secret', match: { cel: `new.metadata.name == 'web'` } }] },
} as const;

async function prepare({ client, clock, random }: ScenarioContext): Promise<void> {
  await installDefinitions(client, [SITES.definition], {
    clock,
    random: () => random.next(),
    fieldManager: 'admin',
  });
  const data = { version: '1' };
  await client.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: RELEASE, data });
  await client.create(KAUSALITIES, POLICY);
  const metadata = { name: 'secrets' };
  const policy = { ...APPROVED_SECRETS, kind: 'ClusterApprovalPolicy', metadata } as const;
  await client.create(CLUSTER_APPROVAL_POLICIES, policy);
  const inNamespace = { ...metadata, namespace: NAMESPACE };
  await client.create(APPROVAL_POLICIES, { ...policy, kind: 'ApprovalPolicy', metadata: inNamespace });
}

/** Certificates, which nobody verifies here: the operator waits until there is one. */
async function certify({ client }: ScenarioContext): Promise<void> {
  const value = Buffer.from('ca').toString('base64');
  const body = [{ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value }];
  const configurations = admissionregistrationv1.mutatingwebhookconfigurations;
  await client.patch(configurations, { name: 'kubewright-drift' }, { type: 'json', body });
}

/** Somebody makes a Site; its controller gets better and better; the second version is approved, once. */
async function script(context: ScenarioContext): Promise<void> {
  const { client, clock, random, signal } = context;
  const pause = (ms: number): Promise<void> => sleep(clock, random.below(ms), signal);
  const wait = { clock, random: () => random.next(), signal, timeoutMs: 600_000 };
  const release = (version: string): Promise<unknown> =>
    client.patch(corev1.configmaps, RELEASE, { type: 'merge', body: { data: { version } } });
  const shown = (isSo: (data: Readonly<Record<string, string>>) => boolean): Promise<unknown> =>
    waitForObject(client, corev1.configmaps, WEB, (map) => map?.data !== undefined && isSo(map.data), wait);

  await certify(context);
  await waitForObject(
    client,
    KAUSALITIES,
    POLICY.metadata,
    (policy) => isConditionTrue(policy?.status?.conditions, 'Ready'),
    wait,
  );
  await client.create(SITES, {
    apiVersion: 'demo.kubewright.io/v1',
    kind: 'Site',
    metadata: WEB,
    spec: { color: 'red' },
  });
  await shown(({ color }) => color === 'red');
  await waitForObject(client, SITES, WEB, (site) => site?.status?.observedGeneration === 1, wait);
  await pause(5000);
  await release('2');
  await pause(20_000);
  await approve(context);
  await shown(({ theme }) => theme === 'dark');
  await release('3');
  await pause(20_000);
  await release('2');
  // What the third version still writes after that, the Site's next change would have asked for.
  await sleep(clock, ON_ITS_WAY_MS, signal);
  await pause(2000);
  await client.patch(SITES, WEB, { type: 'merge', body: { spec: { color: 'green' } } });
}

async function approve({ client }: ScenarioContext): Promise<void> {
  const approval = { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', generation: 1, mode: 'once' };
  const annotations = { [DRIFT_ANNOTATIONS.approvals]: JSON.stringify([approval]) };
  await client.patch(SITES, WEB, { type: 'merge', body: { metadata: { annotations } } });
}

/** Somebody labels the parent. */
async function rival({ client, random }: ScenarioContext): Promise<void> {
  const body = { metadata: { labels: { seen: String(random.below(1000)) } } };
  await ignoreNotFound(client.patch(SITES, WEB, { type: 'merge', body }));
}

async function missing({ client }: ScenarioContext): Promise<string | undefined> {
  const site = await ignoreNotFound(client.get(SITES, WEB));
  if (site?.status?.observedGeneration !== 2) return 'the Site is not reconciled';
  const { data } = await client.get(corev1.configmaps, WEB);
  if (data?.['color'] !== 'green' || data['theme'] !== 'dark')
    return `the ConfigMap has ${JSON.stringify(data)}`;
  const approvals = site.metadata.annotations?.[DRIFT_ANNOTATIONS.approvals];
  return approvals === undefined ? undefined : `the approval is still there: ${approvals}`;
}

type Seen = { readonly theme: string | undefined; readonly user: string; readonly isApproved: boolean };

/** What the ConfigMap became, write by write: who began it, and whether it was approved. */
function seen(history: History): readonly Seen[] {
  return history.of('configmaps', WEB.name).flatMap(({ object, type }) => {
    if (type === 'DELETED') return [];
    const { data } = object as corev1.ConfigMap;
    const trace = JSON.parse(annotationOf(object, DRIFT_ANNOTATIONS.trace) ?? '[]') as readonly {
      readonly user: string;
      readonly approval?: object;
    }[];
    const [first] = trace;
    const last = trace.at(-1);
    return [{ theme: data?.['theme'], user: first?.user ?? '', isApproved: last?.approval !== undefined }];
  });
}

function annotationOf({ metadata }: KubeObject, key: string): string | undefined {
  return metadata.annotations?.[key];
}

/** The second version got through because it was approved, and the third never. */
function unasked(history: History): string | undefined {
  const states = seen(history);
  if (states.some(({ theme }) => theme === 'light')) return 'the third version got through';
  const first = states.find(({ theme }) => theme === 'dark');
  return first === undefined || first.isApproved ? undefined : 'the second version got through unapproved';
}

function unexplained(history: History): string | undefined {
  const state = seen(history).find(
    ({ user, isApproved }) => [SITE_CONTROLLER.username, ''].includes(user) && !isApproved,
  );
  return state === undefined ? undefined : `nobody asked for a change that began with "${state.user}"`;
}

export const driftDay: OperatorDay = {
  name: 'drift',
  operator: driftParts,
  anyKind: { apiGroups: [SITES.group], resources: ['sites'] },
  components: [sites],
  observed: [
    ['', 'configmaps'],
    [SITES.group, 'sites'],
  ],
  prepare,
  script,
  rival,
  missing,
  calls: CALLS,
  invariants: { 'what nobody asked for is denied': unasked, 'each change has its reason': unexplained },
};

export function driftScenario(tools: Partial<DriftTools> = {}): Scenario {
  const [webhook, ...others] = driftParts.parts;
  if (webhook === undefined) return operatorScenario(driftDay);
  const changed = {
    ...webhook,
    add: (...[manager]: Parameters<typeof webhook.add>) =>
      addDriftWebhook(manager, { ...driftGuards(manager), decisionLogLimit: 50, ...tools }),
  };
  return operatorScenario({ ...driftDay, operator: { ...driftParts, parts: [changed, ...others] } });
}

/** Operators that are broken on purpose. */
export const driftVariants: Readonly<Record<string, Partial<DriftTools>>> = {
  /** Forgets that a child has used an approval: until it is taken away, it is good for another write. */
  forgetful: {
    decide: (review, world, now) =>
      decideAdmission({ ...review, old: review.old && unused(review.old) }, world, now),
  },
  /** Takes an approval away before the write is stored: one that fails then has used it up. */
  hasty: { isStored: async ({ approval }) => approval !== '' },
};

function unused(object: KubeObject): KubeObject {
  const { [DRIFT_ANNOTATIONS.usedApprovals]: _used, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}
