import { systemClock } from '@kubewright/client';
import { appsv1, corev1, type KubeObject, type Stored, type Transport } from '@kubewright/kube';
import { beforeAll, expect, test } from 'vitest';
import { runCommand } from '../kit/testing/run-command.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, BROKER_SECRET, STATEFUL_MIGRATIONS } from './api.ts';
import { migrationParts } from './controller.ts';
import { type Load, startLoad } from './demo/start-load.ts';
import { operator as declared } from './operator.ts';
import { checkApplied } from './testing/check-applied.ts';
import {
  appliedBy,
  type BrokerForLoad,
  consumerTemplate,
  isReady,
  PATIENT_POLL,
  LOCAL_BROKERS,
} from './testing/migration-calls.ts';

const APPS = ['set', 'web', 'lone'] as const;
const PER_SECOND = 20;

/** `kubectl drain` of a node; resolves with what it printed, and how it ended. */
export type Drain = (node: string) => Promise<{ readonly code: number; readonly text: string }>;

type Setting = {
  readonly transport: () => Transport;
  readonly broker: () => BrokerForLoad;
  /** Absent where there is no kubectl. */
  readonly drain?: Drain;
};

/** Ways to drain a node: by this product's command line, and by kubectl. */
export const DRAINS = ['kubewright', 'kubectl'] as const;

/** Nodes are drained whose pods consume under load, and one that has no state to keep. */
export function evictionsContract(
  { transport, broker, drain }: Setting,
  drains: readonly (typeof DRAINS)[number][],
): void {
  const operator = useOperator(transport, migrationParts, { env: LOCAL_BROKERS });
  const { namespace } = operator;
  const queueOf = (app: string): string => `${app}-${namespace}`;
  const loads = new Map<string, Load>();

  const cordon = (name: string, unschedulable: boolean): Promise<unknown> =>
    operator.admin.patch(corev1.nodes, { name }, { type: 'merge', body: { spec: { unschedulable } } });
  const pods = async (): Promise<readonly Stored<corev1.Pod>[]> =>
    (await operator.admin.list(corev1.pods, { namespace })).items;
  const podOf = async (app: string) =>
    (await pods()).find(({ metadata }) => metadata.labels?.['app'] === app);
  const nodesOf = async (): Promise<readonly (string | undefined)[]> => [
    ...new Set((await pods()).map(({ spec }) => spec.nodeName)),
  ];
  /** A drain does not wait for what replaces an evicted pod: that may have no node yet. */
  const expectDrained = async (node: string, other: string): Promise<void> => {
    expect(await nodesOf()).not.toContain(node);
    await expect.poll(nodesOf, PATIENT_POLL).toEqual([other]);
  };
  const templateOf = (app: string) => {
    const { metadata, spec } = consumerTemplate(app, { queue: queueOf(app), url: broker().url });
    const annotations = { [ANNOTATIONS.queue]: queueOf(app), [ANNOTATIONS.exchange]: 'orders' };
    return { metadata: { ...metadata, annotations }, spec };
  };
  const allReady = async (count: number): Promise<boolean> => {
    const all = await pods();
    return all.length === count && all.every((pod) => isReady(pod));
  };
  const ended = async () =>
    (await operator.admin.list(STATEFUL_MIGRATIONS, { namespace })).items.map(({ status }) => status?.phase);

  beforeAll(async () => {
    const { admin } = operator;
    await admin.create(corev1.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: BROKER_SECRET, namespace },
      stringData: { url: broker().url },
    });
    for (const app of APPS) {
      await broker().declare(queueOf(app));
      await broker().declare(`${queueOf(app)}.end`);
    }
  });

  test('MIG-72 a dry run of an eviction evicts nothing, and warns of the migration that would begin', async () => {
    // All begin on node-1.
    await cordon('node-2', true);
    await createAll(operator, templateOf);
    await expect.poll(() => allReady(4), PATIENT_POLL).toBe(true);
    await cordon('node-2', false);
    for (const app of APPS) {
      const publish: Parameters<typeof startLoad>[0]['publish'] = (message) =>
        broker().publish(queueOf(app), message);
      loads.set(app, startLoad({ producer: app, perSecond: PER_SECOND, publish, clock: systemClock }));
    }
    // kube-apiserver calls webhooks a moment after they are configured.
    const set = await operator.admin.get(corev1.pods, { namespace, name: 'set-0' });
    await expect.poll(() => isGuarded(transport(), set), PATIENT_POLL).toBe(true);
  });

  if (drains.includes('kubectl'))
    test.skipIf(drain === undefined)(
      `MIG-72 kubectl drain: evictions are answered with 429 while pods move, the drain finishes${drain === undefined ? ' [needs kubectl]' : ''}`,
      async () => {
        const { code, text } = (await drain?.('node-1')) ?? { code: -1, text: '' };
        expect(text).toMatch(/denied the request: pod set-0 moves to node node-2, by migration evict-set-0-/);
        expect(text).toContain('will retry after 5s');
        expect(code, text).toBe(0);
        await expectDrained('node-1', 'node-2');
        await cordon('node-1', false);
        // The node is empty before the last migration has said so.
        await expect.poll(ended, PATIENT_POLL).toEqual(['Completed', 'Completed', 'Completed']);
      },
    );

  if (drains.includes('kubewright'))
    test('MIG-72 kubewright drain: it moves what can be moved, and evicts the rest', async () => {
      const [node = ''] = await nodesOf();
      const other = node === 'node-1' ? 'node-2' : 'node-1';
      const place = { client: operator.admin, namespace, transport: transport() };
      const printed = await runCommand(declared, place, ['drain', node], { timeout: '4m' });
      expect(printed).toMatch(new RegExp(`pod set-0 moves to node ${other}, by migration evict-set-0-`));
      expect(printed).toMatch(/pod\/plain-\S+ in \S+ is evicted\n/);
      expect(printed.endsWith(`node/${node} drained\n`)).toBe(true);
      await expectDrained(node, other);
      await expect.poll(async () => new Set(await ended()), PATIENT_POLL).toEqual(new Set(['Completed']));
      await cordon(node, false);
    });

  test.each(APPS)('MIG-72 nothing of %s was lost, or applied twice', async (app) => {
    const published = (await loads.get(app)?.stop()) ?? 0;
    expect(published).toBeGreaterThan(PER_SECOND);
    const name = (await podOf(app))?.metadata.name ?? '';
    const verdict = async () =>
      checkApplied(await appliedBy(transport(), { namespace, name }), new Map([[app, published]]));
    await expect.poll(verdict, PATIENT_POLL).toEqual({ missing: [], double: [], disordered: [] });
  });
}

type Operator = ReturnType<typeof useOperator>;
type Template = ReturnType<typeof consumerTemplate>;

/** One of each kind that can be moved, and a Deployment whose pods have no state. */
async function createAll(
  { admin, namespace }: Operator,
  templateOf: (app: string) => Template,
): Promise<void> {
  const workload = (app: string, template: Template | object) => ({
    metadata: { name: app, namespace },
    spec: { replicas: 1, selector: { matchLabels: { app } }, template },
  });
  const set = workload('set', templateOf('set'));
  const { metadata, spec } = templateOf('lone');
  const plain = {
    metadata: { labels: { app: 'plain' } },
    spec: { containers: [{ name: 'main', image: 'plain:1' }], terminationGracePeriodSeconds: 1 },
  };
  const objects: readonly (readonly [unknown, object])[] = [
    [
      appsv1.statefulsets,
      { apiVersion: 'apps/v1', kind: 'StatefulSet', ...set, spec: { ...set.spec, serviceName: 'set' } },
    ],
    [
      appsv1.deployments,
      { apiVersion: 'apps/v1', kind: 'Deployment', ...workload('web', templateOf('web')) },
    ],
    [appsv1.deployments, { apiVersion: 'apps/v1', kind: 'Deployment', ...workload('plain', plain) }],
    [
      corev1.pods,
      { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'lone', namespace }, spec },
    ],
  ];
  for (const [resource, object] of objects)
    await admin.create<KubeObject>(resource as typeof STATEFUL_MIGRATIONS, object as KubeObject);
}

/** Whether the webhook is called: a dry run evicts nothing, begins nothing, and warns of what would be. */
async function isGuarded(transport: Transport, { metadata }: Stored): Promise<boolean> {
  const { namespace = '', name } = metadata;
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  const { headers, body } = await transport.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/pods/${name}/eviction?dryRun=All`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(eviction),
  });
  for await (const _chunk of body);
  return String(headers['warning']).includes(`pod ${name} moves to node`);
}
