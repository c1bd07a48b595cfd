import type { WebhookCall, WebhookReply } from '@kubewright/apiserver';
import { createClient, sleep } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { WorldFault } from './world-fault.ts';
import type { Component } from './component.ts';
import type { Scenario } from './scenario.ts';
import { runWorld } from './run-world.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
const HOOKS = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  namespaced: false,
};
const GOOD = { namespace: 'default', name: 'good' };

const configMap = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name },
});

/** Lets nothing in that is called `bad`. */
async function review({ body }: WebhookCall): Promise<WebhookReply> {
  const { request } = JSON.parse(Buffer.from(body).toString()) as { request: { uid: string; name: string } };
  const response = { uid: request.uid, allowed: request.name !== 'bad' };
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
  return { status: 200, contentType: 'application/json', body: Buffer.from(JSON.stringify(review)) };
}

const guard: Component = {
  name: 'guard',
  async start({ transport, clock, serveWebhooks }) {
    serveWebhooks('guard.test', review);
    // A call now and then, so that faults can be injected into its calls.
    for (let i = 0; i < 5; i++) {
      await createClient(transport)
        .get(CONFIG_MAPS, GOOD)
        .catch(() => undefined);
      await sleep(clock, 1000);
    }
  },
};

/** Tries to get both in until the good one is. */
const writer: Component = {
  name: 'writer',
  async start({ transport, clock }) {
    const client = createClient(transport);
    for (let isIn = false; !isIn; await sleep(clock, 500)) {
      await client.create(CONFIG_MAPS, configMap('bad')).catch(() => undefined);
      await client.create(CONFIG_MAPS, configMap('good')).catch(() => undefined);
      isIn = await client.get(CONFIG_MAPS, GOOD).then(
        () => true,
        () => false,
      );
    }
  },
};

const guarded = (failurePolicy: 'Fail' | 'Ignore'): Scenario => ({
  name: 'guarded',
  observed: [['', 'configmaps']],
  components: [guard, writer],
  async prepare({ client }) {
    const rules = [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
    ];
    await client.create(HOOKS, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: HOOKS.kind,
      metadata: { name: 'guard' },
      webhooks: [
        {
          name: 'guard.example.com',
          clientConfig: { url: 'https://guard.test/check' },
          rules,
          failurePolicy,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 5,
        },
      ],
    });
  },
  missing: async ({ client }) =>
    client.get(CONFIG_MAPS, GOOD).then(
      () => undefined,
      () => 'the good one',
    ),
  invariants: {
    'the bad one is never in': (history) =>
      history.of('configmaps', 'bad').length === 0 ? undefined : 'it is',
  },
});

const play = (failurePolicy: 'Fail' | 'Ignore', faults: readonly WorldFault[]) =>
  runWorld({ seed: 1, scenario: guarded(failurePolicy), faults });

test('the server asks a component of the world, and keeps out what that refuses', async () => {
  const { failure, trace } = await play('Ignore', []);
  expect(failure).toBeUndefined();
  expect(trace).toContainEqual(expect.stringMatching(/writer #1 POST \S+ 400$/));
  expect(trace).toContainEqual(expect.stringMatching(/guard is called \/check$/));
});

test.each<[string, WorldFault]>([
  [
    'has crashed',
    { type: 'crash', component: 'guard', call: 1, when: 'before', restartAfter: 9000, behind: 0 },
  ],
  ['is frozen', { type: 'pause', component: 'guard', at: 0, ms: 9000 }],
  ['loses the request', { type: 'lostWebhookCall', component: 'guard', webhookCall: 1, part: 'request' }],
  ['loses the response', { type: 'lostWebhookCall', component: 'guard', webhookCall: 1, part: 'response' }],
])('a webhook that %s keeps everything out, or nothing where its failures are ignored', async (_, fault) => {
  expect((await play('Fail', [fault])).failure).toBeUndefined();
  expect((await play('Ignore', [fault])).failure).toBe('the bad one is never in: it is');
});

test('worlds with webhooks are decided by their seed', async () => {
  for (const seed of [1, 2, 3, 4]) {
    const [first, second] = [
      await runWorld({ seed, scenario: guarded('Fail') }),
      await runWorld({ seed, scenario: guarded('Fail') }),
    ];
    expect(first.failure).toBeUndefined();
    expect(second.trace).toEqual(first.trace);
  }
});

/** Puts one annotation on a ConfigMap, with a finalizer, and looks what became of it. */
const annotator: Component = {
  name: 'annotator',
  async start({ transport, clock }) {
    const client = createClient(transport);
    await sleep(clock, 1000);
    const body = { metadata: { annotations: { a: '1' }, finalizers: ['example.com/held'] } };
    for (let isIn = false; !isIn; await sleep(clock, 2000)) {
      const written = await client.patch(CONFIG_MAPS, GOOD, { type: 'merge', body }).catch(() => undefined);
      isIn = written?.metadata.annotations?.['a'] === '1' && written.metadata.finalizers !== undefined;
    }
  },
};

const annotated: Scenario = {
  name: 'annotated',
  observed: [['', 'configmaps']],
  components: [annotator],
  prepare: async ({ client }) => void (await client.create(CONFIG_MAPS, configMap('good'))),
  missing: async ({ client }) => {
    const { metadata } = await client.get(CONFIG_MAPS, GOOD);
    return metadata.annotations?.['a'] === '1' ? undefined : 'the annotation';
  },
  invariants: {},
};

test.each([
  ['undo', []],
  ['strip', []],
  ['change', [{ annotations: { a: 'changed' }, finalizers: ['example.com/held'] }]],
  ['delay', []],
  ['reject', []],
] as const)(
  'a hostile webhook that does %s what is written is met so often, and then no more',
  async (effect, states) => {
    const hostile = { type: 'hostile', effect, at: 0, ms: 60_000, writes: 2, delayMs: 700 } as const;
    const { failure, trace, history } = await runWorld({ seed: 1, scenario: annotated, faults: [hostile] });
    expect(failure).toBeUndefined();
    const met = trace.filter((line) => line.includes(`hostile-0 ${effect}: UPDATE configmaps good`));
    expect(met).toHaveLength(effect === 'delay' ? 1 : 2);
    const [, ...written] = history.of('configmaps', 'good').map(({ object: { metadata } }) => metadata);
    expect(written.map(({ annotations, finalizers }) => ({ annotations, finalizers }))).toEqual([
      ...states,
      { annotations: { a: '1' }, finalizers: ['example.com/held'] },
    ]);
  },
);
