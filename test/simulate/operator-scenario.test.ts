import { type ScenarioContext, runWorld, type WorldFault } from '@kubewright/cluster';
import { sleep } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { type OperatorParts, ownershipParts } from '@kubewright/operators';
import { defaultingWebhook, watchKind } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { clusterComponent } from './cluster-component.ts';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';
import { ownershipDay } from './ownership.ts';

/** Without faults: what fails then fails for want of rights. */
const failure = async (day: OperatorDay, faults: readonly WorldFault[] = []): Promise<string | undefined> =>
  (await runWorld({ seed: 1, scenario: operatorScenario(day), faults })).failure;

test('an operator has the rules that it declares, and no others', async () => {
  const { anyKind: _all, ...withoutDeployments } = ownershipDay;
  const parts = ownershipParts.parts.map((part) => ({ ...part, rules: part.rules.slice(0, 1) }));

  expect(await failure(ownershipDay)).toBeUndefined();
  expect(await failure(withoutDeployments)).toMatch(
    /deployments.apps "web" is forbidden: User .* cannot get/,
  );
  expect(await failure({ ...ownershipDay, operator: { ...ownershipParts, parts } })).toContain(
    'is forbidden',
  );
});

const maps = corev1.configmaps;
const MAPS = ['a', 'b', 'c', 'd'];

/** Stamps new ConfigMaps by a webhook, and counts in an annotation those that it sees with the stamp. */
const stamper = (failurePolicy: 'Fail' | 'Ignore'): OperatorParts => ({
  resources: [],
  parts: [
    {
      account: 'stamper',
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'patch'] }],
      add(manager) {
        const { cache, client } = manager;
        manager.webhookServer().register(
          '/stamp',
          defaultingWebhook<corev1.ConfigMap>({
            default: ({ metadata, ...map }) => ({
              ...map,
              metadata: { ...metadata, labels: { stamped: 'yes' } },
            }),
          }),
        );
        manager.addController({
          name: 'stamper',
          sources: [watchKind(maps)],
          reconciler: {
            async reconcile(request) {
              const { labels, annotations } = cache.get(maps, request)?.metadata ?? {};
              if (labels?.['stamped'] !== 'yes' || annotations?.['seen'] === 'yes') return {};
              const body = { metadata: { annotations: { seen: 'yes' } } };
              await client.patch(maps, request, { type: 'merge', body });
              return { requeueAfter: 1000 };
            },
          },
        });
      },
    },
  ],
  webhooks: [
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'stamper' },
      webhooks: [
        {
          name: 'stamp.example.com',
          clientConfig: { service: { path: '/stamp' } },
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] },
          ],
          failurePolicy,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    },
  ],
});

const stampDay = (failurePolicy: 'Fail' | 'Ignore'): OperatorDay => ({
  name: 'stamper',
  operator: stamper(failurePolicy),
  observed: [
    ['', 'configmaps'],
    ['coordination.k8s.io', 'leases'],
  ],
  prepare: async () => undefined,
  async script({ client, clock }: ScenarioContext) {
    for (const name of MAPS) {
      await client.create(maps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'default', name },
      });
      await sleep(clock, 8000);
    }
  },
  async missing({ client }) {
    const { items } = await client.list(maps, { namespace: 'default' });
    const unseen = items.filter(({ metadata: { labels, annotations } }) => labels && !annotations?.['seen']);
    if (unseen.length > 0) return `${unseen.length} are not seen`;
    return items.length === MAPS.length ? undefined : `there are ${items.length}`;
  },
  invariants: {
    'all are stamped': (history) =>
      history.all.every(
        ({ resource, object }) => resource === 'leases' || object.metadata.labels?.['stamped'] === 'yes',
      )
        ? undefined
        : 'one is not',
  },
});

const crash = (component: string): WorldFault => {
  const [call, restartAfter] = [8, 20_000];
  return { type: 'crash', component, call, when: 'before', restartAfter, behind: 0 };
};
/** Frozen, a webhook lets the API server wait until it gives up. */
const freeze = (component: string): WorldFault => ({ type: 'pause', component, at: 5000, ms: 20_000 });

test("two managers of an operator serve its webhooks, and one leads; a world's seed decides all", async () => {
  const play = () =>
    runWorld({ seed: 4, scenario: operatorScenario(stampDay('Fail')), faults: [crash('operator-2')] });
  const { failure: failed, trace, history } = await play();
  expect(failed).toBeUndefined();
  const servers = ['operator-1', 'operator-2'].filter((name) =>
    trace.some((line) => line.includes(`${name} is called /stamp`)),
  );
  expect(servers).toEqual(['operator-1', 'operator-2']);
  const holders = history
    .of('leases', 'kubewright')
    .map(({ object }) => (object['spec'] as { holderIdentity: string }).holderIdentity);
  expect(new Set(holders).size).toBeGreaterThan(1);
  expect((await play()).trace).toEqual(trace);
});

test('an operator whose webhook may fail is caught when nobody serves it', async () => {
  const faults = [freeze('operator-1'), freeze('operator-2')];
  expect(await failure(stampDay('Fail'), faults)).toBeUndefined();
  expect(await failure(stampDay('Ignore'), faults)).toBe('all are stamped: one is not');
});

test('an operator with webhooks masters worlds with all faults', async () => {
  const scenario = operatorScenario(stampDay('Fail'));
  for (let seed = 1; seed <= 10; seed++)
    expect(await runWorld({ seed, scenario }), `seed ${seed}`).not.toHaveProperty('failure');
});

test('a world has the parts of a cluster that a day asks for', async () => {
  const pod = { namespace: 'default', name: 'pod' };
  const day: OperatorDay = {
    ...stampDay('Fail'),
    components: [
      clusterComponent({
        controllers: ['node-lifecycle-controller'],
        nodes: { nodes: 1, leaseRenewMs: 20_000 },
        storage: false,
      }),
    ],
    async script({ client }) {
      const spec = { containers: [{ name: 'c', image: 'web:1' }] };
      await client.create(corev1.pods, { apiVersion: 'v1', kind: 'Pod', metadata: pod, spec });
    },
    async missing({ client }) {
      const { status } = await client.get(corev1.pods, pod);
      return status?.phase === 'Running' ? undefined : `the pod is ${status?.phase}`;
    },
  };
  expect(await failure(day)).toBeUndefined();
});
