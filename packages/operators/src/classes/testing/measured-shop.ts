import { appsv1, corev1, defined, type Stored } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import type { OperatorUnderTest } from '../../kit/testing/use-operator.ts';
import { CLASS_RUNTIMES, type ClassRuntime } from '../api.ts';

const CPU = 'metrics.kubewright.dev/cpu';
const REQUESTS = 'metrics.kubewright.dev/custom.http_server_requests_seconds_count';

/** Time is real here. */
const TIMEOUTS = {
  analyzer_interval_secs: 1,
  nfr_max_age_secs: 3,
  enforcement_stability_secs: 2,
  enforcement_cooldown_secs: 2,
  recovery_stable_secs: 1,
};

type Status = NonNullable<ClassRuntime['status']>;

/** A class with two functions and a data grid on a cluster whose Prometheus says of pods what their annotations say. */
export function measuredShop(classes: Pick<OperatorUnderTest, 'admin' | 'namespace'>) {
  const { namespace } = classes;
  const shop = { namespace, name: 'shop' };
  const cart = { namespace, name: 'shop-fn-0' };

  const write = (
    mode: string,
    minScale = 1,
    nfr_requirements?: ClassRuntime['spec']['nfr_requirements'],
  ): Promise<ClassRuntime> => {
    const functions = [
      { function_key: 'shop.cart', provision_config: { container_image: 'cart:1', min_scale: minScale } },
      { function_key: 'shop.pay', provision_config: { container_image: 'pay:1' } },
    ];
    const enforcement = { mode, dimensions: ['replicas'] };
    const wanted = {
      apiVersion: 'oaas.io/v1alpha1',
      kind: 'ClassRuntime',
      metadata: shop,
      spec: {
        addons: ['odgm'],
        functions,
        enforcement,
        timeouts: TIMEOUTS,
        ...defined({ nfr_requirements }),
      },
    };
    return classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test', force: true });
  };
  const until = async (holds: (status: Status) => boolean): Promise<ClassRuntime> => {
    const found = await waitForObject(classes.admin, CLASS_RUNTIMES, shop, (live) => {
      const { metadata, status } = live ?? {};
      return status !== undefined && status.observed_generation === metadata?.generation && holds(status);
    });
    if (found === undefined) throw new TypeError('the class is gone');
    return found;
  };
  const replicasOf = async (name: string): Promise<number | undefined> =>
    (await classes.admin.get(appsv1.deployments, { namespace, name })).spec?.replicas;
  const conditionOf = ({ conditions = [] }: Status) => conditions.find(({ type }) => type === 'NfrObserved');
  const decisionOf = ({ nfr_details = [] }: Status): string | undefined =>
    nfr_details.find(({ function_key }) => function_key === 'shop.cart')?.decision;
  /** All load is said of one pod, which stays longest: those that come are idle, so the sum stays. */
  const use = async (cpu: string): Promise<void> => {
    const { items } = await classes.admin.list(corev1.pods, { namespace, labelSelector: 'app=shop-fn-0' });
    const annotations = {
      [CPU]: cpu,
      'controller.kubernetes.io/pod-deletion-cost': '9',
    };
    const alive = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const pod = alive.find(({ metadata }) => metadata.annotations?.[CPU] !== undefined) ?? alive[0];
    if (pod === undefined) throw new TypeError('the function has no pod');
    await classes.admin.patch(corev1.pods, pod.metadata, {
      type: 'merge',
      body: { metadata: { annotations } },
    });
  };

  /** Returns the names of the pods. */
  const annotate = async (
    labelSelector: string,
    cpu: string,
    requests?: string,
  ): Promise<readonly string[]> => {
    const { items } = await classes.admin.list(corev1.pods, { namespace, labelSelector });
    const body = { metadata: { annotations: { [CPU]: cpu, ...defined({ [REQUESTS]: requests }) } } };
    for (const { metadata } of items)
      await classes.admin.patch(corev1.pods, metadata, { type: 'merge', body });
    return items.map(({ metadata }) => metadata.name);
  };
  /** Of another class, whose name begins like this one's. */
  const createLoadedPod = async (name: string, cpu: string): Promise<void> => {
    const labels = { app: 'shop-admin', 'oaas.io/owner': 'shop-admin' };
    const metadata = { name, namespace, labels, annotations: { [CPU]: cpu } };
    const spec = { containers: [{ name: 'function', image: 'admin:1' }] };
    await classes.admin.create(corev1.pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
    await waitForObject(
      classes.admin,
      corev1.pods,
      { namespace, name },
      (live) => live?.status?.phase === 'Running',
    );
  };
  /** From now on, until the last number: all numbers of replicas that the function has, each once. */
  const replicasUntil = async (
    { metadata }: Stored<appsv1.Deployment>,
    last: number,
  ): Promise<readonly (number | undefined)[]> => {
    const seen = new Set<number | undefined>();
    const options = { namespace, resourceVersion: metadata.resourceVersion };
    for await (const event of classes.admin.watch(appsv1.deployments, options)) {
      if (event.type !== 'MODIFIED' || event.object.metadata.name !== metadata.name) continue;
      const { replicas } = event.object.spec ?? {};
      seen.add(replicas);
      if (replicas === last) break;
    }
    return [...seen];
  };
  const own = { shop, cart, write, until, replicasOf, conditionOf, decisionOf };
  return { ...own, use, annotate, createLoadedPod, replicasUntil };
}
