import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@kubewright/client';
import { admissionregistrationv1, corev1, type Stored } from '@kubewright/kube';
import { valueAt } from '../../../packages/operators/src/kit/testing/value-at.ts';
import { at, isCondition, kindOf } from '../at-place.ts';
import type { Launch, Place, Scenario, Step } from '../scenario.ts';

const SETS = kindOf('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'leaderworkersets');
const NAME = 'serve';
const CRASH = 'nodes.kubewright.dev/crash';
const SIZE = 2;
const LABEL = 'leaderworkerset.sigs.k8s.io';

const template = (name: string, image: string) => ({
  metadata: { labels: { role: name } },
  spec: { containers: [{ name, image }] },
});
const specOf = (replicas: number, image = 'serve:1') => ({
  replicas,
  leaderWorkerTemplate: {
    size: SIZE,
    restartPolicy: 'RecreateGroupOnPodRestart',
    leaderTemplate: template('leader', image),
    workerTemplate: template('worker', image),
  },
});

const podsOf = (place: Place): Promise<readonly Stored[]> => at(place).list(corev1.pods);
async function podCalled(place: Place, name: string): Promise<Stored> {
  const found = (await podsOf(place)).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new TypeError(`there is no pod ${name}`);
  return found;
}
const imageOf = (object: Stored): unknown => valueAt(object, 'spec.containers.0.image');

/** All groups are there, have its image and run, and its controller says so. */
const isReady = async (place: Place): Promise<boolean> => {
  const live = await at(place).get(SETS, NAME);
  const [pods, replicas] = [await podsOf(place), valueAt(live, 'spec.replicas')];
  const image = valueAt(live, 'spec.leaderWorkerTemplate.workerTemplate.spec.containers.0.image');
  return (
    isCondition(live, 'Available') &&
    valueAt(live, 'status.updatedReplicas') === replicas &&
    pods.length === Number(replicas) * SIZE &&
    pods.every((pod) => imageOf(pod) === image && isCondition(pod, 'Ready'))
  );
};

const uids = new Map<string, string>();
/** Another one takes its place. */
function replaced(
  title: string,
  find: (place: Place) => Promise<Stored>,
  act: (place: Place, found: Stored) => Promise<unknown>,
): Step {
  return {
    title,
    act: async (place) => {
      const found = await find(place);
      uids.set(place.namespace, found.metadata.uid);
      await act(place, found);
    },
    until: async (place) =>
      (await find(place)).metadata.uid !== uids.get(place.namespace) && (await isReady(place)),
  };
}
const removed =
  (ref: object) =>
  (place: Place, { metadata }: Stored) =>
    at(place).remove(ref, metadata.name);
const serviceDeleted = replaced(
  'its Service is deleted',
  (place) => at(place).get(corev1.services, NAME),
  removed(corev1.services),
);

let images = 1;
const rolled: Step = {
  title: 'its image changes: one group after the other',
  act: async (place) => {
    const replicas = Number(valueAt(await at(place).get(SETS, NAME), 'spec.replicas'));
    await at(place).merge(SETS, NAME, { spec: specOf(replicas, `serve:${(images += 1)}`) });
  },
  until: isReady,
};
const scaled: Step = {
  title: 'it is scaled',
  act: async (place) => {
    const replicas = valueAt(await at(place).get(SETS, NAME), 'spec.replicas') === 2 ? 3 : 2;
    await at(place).merge(SETS, NAME, { spec: { replicas } });
  },
  until: isReady,
};

function launch({ kubeconfig, folder, certificates, ports: [metrics, health, webhook] }: Launch) {
  const config = {
    apiVersion: 'config.lws.x-k8s.io/v1alpha1',
    kind: 'Configuration',
    internalCertManagement: { enable: false },
    leaderElection: { leaderElect: false },
    webhook: { port: webhook, host: '127.0.0.1', certDir: certificates },
    metrics: { bindAddress: `127.0.0.1:${metrics}` },
    health: { healthProbeBindAddress: `127.0.0.1:${health}` },
  };
  const path = join(folder, 'lws.json');
  writeFileSync(path, JSON.stringify(config));
  return { args: [`--kubeconfig=${kubeconfig}`, `--config=${path}`] };
}

/** Its webhooks: they complete its sets, and say of each pod in which group it is. */
async function installWebhooks(client: Client, { certificates, ports: [, , port] }: Launch): Promise<void> {
  const caBundle = readFileSync(join(certificates, 'ca.crt')).toString('base64');
  const webhook = (name: string, path: string, more: object) => ({
    name: `${name}.kb.io`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    clientConfig: { url: `https://127.0.0.1:${port}/${path}`, caBundle },
    ...more,
  });
  const rule = (apiGroup: string, operations: readonly string[], resource: string) => [
    { apiGroups: [apiGroup], apiVersions: ['v1'], operations, resources: [resource] },
  ];
  await client.create(admissionregistrationv1.mutatingwebhookconfigurations, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'lws-mutating-webhook-configuration' },
    webhooks: [
      webhook('mleaderworkerset', 'mutate-leaderworkerset-x-k8s-io-v1-leaderworkerset', {
        rules: rule('leaderworkerset.x-k8s.io', ['CREATE', 'UPDATE'], 'leaderworkersets'),
      }),
      webhook('mpod', 'mutate--v1-pod', {
        rules: rule('', ['CREATE'], 'pods'),
        objectSelector: { matchExpressions: [{ key: `${LABEL}/name`, operator: 'Exists' }] },
      }),
    ],
  } as never);
}

/** Groups of pods, each below its leader. */
export const lws: Scenario = {
  name: 'lws',
  leftOut: 'the webhooks that only validate',
  launch,
  prepare: installWebhooks,
  resources: [
    { apiGroups: ['leaderworkerset.x-k8s.io'], resources: ['leaderworkersets'] },
    { apiGroups: ['apps'], resources: ['statefulsets', 'controllerrevisions'] },
    { apiGroups: [''], resources: ['services', 'pods'] },
  ],
  steps: [
    {
      title: 'it serves its webhooks',
      act: () => Promise.resolve(),
      until: async ({ client, namespace }) => {
        const { apiVersion, kind } = { apiVersion: `${SETS.group}/${SETS.version}`, kind: SETS.kind };
        const body = { apiVersion, kind, metadata: { namespace, name: NAME }, spec: specOf(1) };
        await client.create(SETS, body, { dryRun: true });
        return true;
      },
    },
    {
      title: 'a LeaderWorkerSet is created',
      act: (place) => at(place).create(SETS, NAME, { spec: specOf(2) }),
      until: isReady,
    },
    rolled,
    scaled,
    scaled,
    serviceDeleted,
    // A leader that somebody deletes is not played: its group is made a varying number of times, without a policy too.
    replaced(
      'a worker fails: its group is made again',
      (place) => podCalled(place, `${NAME}-1`),
      (place) =>
        at(place).merge(corev1.pods, `${NAME}-1-1`, { metadata: { annotations: { [CRASH]: 'true' } } }),
    ),
  ],
  later: [serviceDeleted, scaled, rolled],
};
