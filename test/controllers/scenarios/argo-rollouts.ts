import { appsv1, corev1, type Stored } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { valueAt } from '../../../packages/operators/src/kit/testing/value-at.ts';
import { at, kindOf } from '../at-place.ts';
import type { Place, Scenario, Step } from '../scenario.ts';

const ROLLOUTS = kindOf('argoproj.io/v1alpha1', 'Rollout', 'rollouts');
const NAME = 'shop';
const LABELS = { app: NAME };
/** For a machine that has other work. */
const PATIENT = { timeoutMs: 120_000 };

let images = 1;
const imageIn = (image: string) => ({
  metadata: { labels: LABELS },
  spec: { containers: [{ name: 'main', image }] },
});
const roll = (place: Place) =>
  at(place).merge(ROLLOUTS, NAME, { spec: { template: imageIn(`shop:${(images += 1)}`) } });

/** Nothing is left to do, with this many revisions at least. */
const isHealthy = async (place: Place): Promise<boolean> => {
  const live = await at(place).get(ROLLOUTS, NAME);
  return (
    valueAt(live, 'status.phase') === 'Healthy' &&
    valueAt(live, 'status.observedGeneration') === String(live.metadata.generation) &&
    valueAt(live, 'status.stableRS') === valueAt(live, 'status.currentPodHash')
  );
};
/** Before it has seen the change, an abort would be of the one before. */
function isUnderWay(live: Stored | undefined): boolean {
  if (live === undefined) return false;
  const isSeen = valueAt(live, 'status.observedGeneration') === String(live.metadata.generation);
  return isSeen && valueAt(live, 'status.stableRS') !== valueAt(live, 'status.currentPodHash');
}
const rolled: Step = {
  title: 'its image changes: a canary with two timed pauses',
  act: roll,
  until: isHealthy,
};
const scaled: Step = {
  title: 'it is scaled',
  act: async (place) => {
    const live = await at(place).get(ROLLOUTS, NAME);
    const replicas = valueAt(live, 'spec.replicas') === 4 ? 5 : 4;
    return at(place).merge(ROLLOUTS, NAME, { spec: { replicas } });
  },
  until: isHealthy,
};

/** Rollouts, whose canaries go on by timers. */
export const argoRollouts: Scenario = {
  name: 'argo-rollouts',
  leftOut: 'routers of traffic, analysis and notifications',
  launch: ({ kubeconfig, ports: [metrics, health] }) => ({
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--metricsPort=${metrics}`,
      `--healthzPort=${health}`,
      '--leader-elect=false',
    ],
  }),
  resources: [
    { apiGroups: ['argoproj.io'], resources: ['rollouts'] },
    { apiGroups: ['apps'], resources: ['replicasets'] },
  ],
  prepare: (client) =>
    client.create(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'argo-rollouts' },
      spec: {},
    }),
  steps: [
    {
      title: 'a Rollout is created',
      act: (place) =>
        at(place).create(ROLLOUTS, NAME, {
          spec: {
            replicas: 4,
            selector: { matchLabels: LABELS },
            template: imageIn('shop:1'),
            strategy: {
              canary: {
                steps: [
                  { setWeight: 25 },
                  { pause: { duration: '2s' } },
                  { setWeight: 50 },
                  { pause: { duration: '2s' } },
                ],
              },
            },
          },
        }),
      until: isHealthy,
    },
    rolled,
    {
      title: 'a canary is aborted',
      act: async (place) => {
        await roll(place);
        const { client, namespace } = place;
        await waitForObject(client, ROLLOUTS, { namespace, name: NAME }, isUnderWay, PATIENT);
        await at(place).mergeStatus(ROLLOUTS, NAME, { abort: true });
      },
      until: async (place) => valueAt(await at(place).get(ROLLOUTS, NAME), 'status.phase') === 'Degraded',
    },
    rolled,
    {
      title: 'a ReplicaSet of an earlier revision is deleted, and one pod',
      act: async (place) => {
        const sets = await at(place).list(appsv1.replicasets);
        const old = sets.find((one) => valueAt(one, 'spec.replicas') === 0);
        await at(place).remove(appsv1.replicasets, old?.metadata.name ?? '');
        const [pod] = await at(place).list(corev1.pods);
        await at(place).remove(corev1.pods, pod?.metadata.name ?? '');
      },
      until: isHealthy,
    },
    scaled,
  ],
  later: [scaled, rolled],
};
