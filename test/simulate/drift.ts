import { ignoreNotFound, sleep } from '@kubewright/client';
import type { ScenarioContext, Scenario } from '@kubewright/cluster';
import { admissionregistrationv1, corev1, isConditionTrue } from '@kubewright/kube';
import {
  addDriftWebhook,
  APPROVAL_POLICIES,
  CLUSTER_APPROVAL_POLICIES,
  CONTROLLER_PROFILES,
  DRIFT_ANNOTATIONS,
  driftGuards,
  driftParts,
  type DriftTools,
  KAUSALITIES,
} from '@kubewright/operators';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { SITES } from '../../packages/operators/src/drift/demo/site.ts';
import { RELEASE, siteController, WEB } from './drift-controller.ts';
import { driftInvariants, OWN_TICKET, TICKET } from './drift-invariants.ts';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';

const NAMESPACE = WEB.namespace;
/**
 * After that nobody takes the Site for one that is not reconciled yet: longer than a write can be on its way through
 * webhooks that are slow, and than a cache that is behind is trusted.
 */
const SETTLED_MS = 20_000;
/** Calls that each replica makes, about. */
const CALLS = 60;

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

/** Of a kind that nobody has here. */
const PROFILE = {
  apiVersion: 'kausality.io/v1alpha1',
  kind: 'ControllerProfile',
  metadata: { name: 'fleets' },
  spec: { group: 'fleet.example.com', kind: 'Fleet', ready: [] },
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
  await client.create(CONTROLLER_PROFILES, PROFILE);
  const inNamespace = { ...metadata, namespace: NAMESPACE };
  await client.create(APPROVAL_POLICIES, { ...policy, kind: 'ApprovalPolicy', metadata: inNamespace });
}

/** Certificates, which nobody verifies here: the operator waits until there is one. */
export async function certify({ client }: ScenarioContext): Promise<void> {
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
    metadata: { ...WEB, annotations: { [TICKET]: 'of-the-site' } },
    spec: { color: 'red' },
  });
  await shown(({ color }) => color === 'red');
  await waitForObject(client, SITES, WEB, (site) => site?.status?.observedGeneration === 1, wait);
  const ticket = { metadata: { annotations: { [TICKET]: OWN_TICKET } } };
  await client.patch(corev1.configmaps, WEB, { type: 'merge', body: ticket });
  await sleep(clock, SETTLED_MS, signal);
  await pause(5000);
  await release('2');
  await pause(20_000);
  await approve(context);
  await shown(({ theme }) => theme === 'dark');
  await release('3');
  await pause(20_000);
  await release('2');
  // What the third version still writes after that, the Site's next change would have asked for.
  await sleep(clock, SETTLED_MS, signal);
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

export const driftDay: OperatorDay = {
  name: 'drift',
  operator: driftParts,
  anyKind: { apiGroups: [SITES.group], resources: ['sites'] },
  components: [siteController],
  observed: [
    ['', 'configmaps'],
    [SITES.group, 'sites'],
  ],
  prepare,
  script,
  rival,
  missing,
  calls: CALLS,
  invariants: driftInvariants,
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
