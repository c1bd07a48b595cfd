import { corev1, type Stored } from '@kubewright/kube';
import { valueAt } from '../../../packages/operators/src/kit/testing/value-at.ts';
import { at, kindOf } from '../at-place.ts';
import type { Place, Scenario, Step } from '../scenario.ts';

const CLUSTERS = kindOf('ray.io/v1', 'RayCluster', 'rayclusters');
const NAME = 'train';
const CRASH = 'nodes.kubewright.dev/crash';

const group = (name: string, restartPolicy: string) => ({
  rayStartParams: {},
  template: { spec: { restartPolicy, containers: [{ name, image: 'ray:2.52.0' }] } },
});
const workers = (replicas: number) => ({
  ...group('worker', 'Never'),
  groupName: 'small',
  replicas,
  minReplicas: 0,
  maxReplicas: 10,
});
const scale = (replicas: number) => (place: Place) =>
  at(place).merge(CLUSTERS, NAME, { spec: { workerGroupSpecs: [workers(replicas)] } });

/** All pods that it wants are there and run. */
const isReady = async (place: Place): Promise<boolean> => {
  const live = await at(place).get(CLUSTERS, NAME);
  const pods = await podsOf(place);
  return (
    valueAt(live, 'status.state') === 'ready' &&
    valueAt(live, 'status.observedGeneration') === live.metadata.generation &&
    pods.length === Number(valueAt(live, 'spec.workerGroupSpecs.0.replicas')) + 1 &&
    pods.every((pod) => valueAt(pod, 'status.phase') === 'Running')
  );
};
const podsOf = (place: Place): Promise<readonly Stored[]> => at(place).list(corev1.pods);

async function podOf(place: Place, type: 'head' | 'worker'): Promise<Stored> {
  const found = (await podsOf(place)).find(({ metadata }) => metadata.labels?.['ray.io/node-type'] === type);
  if (found === undefined) throw new TypeError(`there is no ${type}`);
  return found;
}

const uids = new Map<string, string>();
/** Another pod takes its place. */
const replaced = (
  title: string,
  type: 'head' | 'worker',
  act: (place: Place, pod: Stored) => unknown,
): Step => ({
  title,
  act: async (place) => {
    const pod = await podOf(place, type);
    uids.set(place.namespace, pod.metadata.uid);
    await act(place, pod);
  },
  until: async (place) => {
    const isThere = (await podsOf(place)).some(({ metadata }) => metadata.uid === uids.get(place.namespace));
    return !isThere && (await isReady(place));
  },
});
const remove = (place: Place, { metadata }: Stored) => at(place).remove(corev1.pods, metadata.name);
const workerDeleted = replaced('a worker is deleted', 'worker', remove);
const serviceOf = async (place: Place) =>
  (await at(place).list(corev1.services)).map(({ metadata }) => metadata);

/** In turn more and fewer workers: of some numbers none was made. */
const NEXT: ReadonlyMap<number, number> = new Map([
  [2, 3],
  [3, 1],
  [1, 4],
  [4, 2],
]);
const scaled: Step = {
  title: 'it is scaled',
  act: async (place) => {
    const replicas = valueAt(await at(place).get(CLUSTERS, NAME), 'spec.workerGroupSpecs.0.replicas');
    return scale(NEXT.get(Number(replicas)) ?? 2)(place);
  },
  until: isReady,
};

/** Ray clusters: pods of its own, which it makes again when they fail. */
export const kubeRay: Scenario = {
  name: 'kuberay',
  leftOut: 'probes and the init container, for which Ray has to run',
  launch: ({ ports: [metrics, health] }) => ({
    args: [
      `--metrics-addr=127.0.0.1:${metrics}`,
      `--health-probe-bind-address=127.0.0.1:${health}`,
      '--enable-leader-election=false',
    ],
    env: {
      ENABLE_INIT_CONTAINER_INJECTION: 'false',
      ENABLE_PROBES_INJECTION: 'false',
      RAYCLUSTER_DEFAULT_REQUEUE_SECONDS_ENV: '3',
    },
  }),
  resources: [
    { apiGroups: ['ray.io'], resources: ['rayclusters'] },
    { apiGroups: [''], resources: ['pods', 'services'] },
  ],
  steps: [
    {
      title: 'a RayCluster is created',
      act: (place) =>
        at(place).create(CLUSTERS, NAME, {
          spec: {
            rayVersion: '2.52.0',
            headGroupSpec: group('head', 'Always'),
            workerGroupSpecs: [workers(2)],
          },
        }),
      until: isReady,
    },
    scaled,
    scaled,
    workerDeleted,
    replaced('a worker fails', 'worker', (place, { metadata }) =>
      at(place).merge(corev1.pods, metadata.name, { metadata: { annotations: { [CRASH]: 'true' } } }),
    ),
    replaced('the head is deleted', 'head', remove),
    {
      title: 'its Service is deleted',
      act: async (place) => {
        const [service] = await serviceOf(place);
        uids.set(place.namespace, service?.uid ?? '');
        await at(place).remove(corev1.services, service?.name ?? '');
      },
      until: async (place) =>
        (await serviceOf(place)).some(({ uid }) => uid !== uids.get(place.namespace)) &&
        (await isReady(place)),
    },
    {
      title: 'it is suspended',
      act: (place) => at(place).merge(CLUSTERS, NAME, { spec: { suspend: true } }),
      until: async (place) => {
        const live = await at(place).get(CLUSTERS, NAME);
        return valueAt(live, 'status.state') === 'suspended' && (await podsOf(place)).length === 0;
      },
    },
    {
      title: 'it goes on',
      act: (place) => at(place).merge(CLUSTERS, NAME, { spec: { suspend: false } }),
      until: isReady,
    },
  ],
  later: [workerDeleted, scaled],
  provoke: { title: workerDeleted.title, act: workerDeleted.act },
};
