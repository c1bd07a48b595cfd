import { type Client, ignoreNotFound, sleep } from '@kubewright/client';
import { appsv1, corev1, type KubeObject } from '@kubewright/kube';
import type { ScenarioContext, SeededRandom } from '@kubewright/cluster';
import {
  autoscaler,
  briefJob,
  cronJob,
  daemonSet,
  deployment,
  disruptionBudget,
  imageOf,
  job,
  lostJob,
  type Manifest,
  NAMESPACE,
  namespace,
  QUEUE,
  quota,
  service,
  SILENT_NODE,
  silentNode,
  statefulSet,
  within,
} from './manifests.ts';
import { unsettled } from './settled.ts';

/** The last that the script writes: nothing more will come from people. */
export const DONE = { name: 'script-done', namespace: 'default' };

/** A namespace that comes and goes. */
const SHORT = 'short';
const ROOT_CA = { namespace: NAMESPACE, name: 'kube-root-ca.crt' };
const ACCOUNT = { namespace: NAMESPACE, name: 'default' };
const NEW_NAMESPACE: Manifest = namespace(SHORT);
const inShort = (manifest: Manifest): Manifest => within(SHORT, manifest);
/** What steps change. */
const CHANGED = 'app in (web, db)';

const WEB = { namespace: NAMESPACE, name: 'web' };
const DB = { namespace: NAMESPACE, name: 'db' };

type Workload = {
  readonly ref: typeof appsv1.deployments | typeof appsv1.statefulsets;
  readonly key: typeof WEB;
};
const SCALED: readonly Workload[] = [
  { ref: appsv1.deployments, key: WEB },
  { ref: appsv1.statefulsets, key: DB },
];

export type ScriptOptions = {
  /** Whether there is all that there may be: nothing is left to chance but time, and what is done with it. */
  readonly everything?: boolean;
};

/** What users do meanwhile. Every step is chosen at random, so that faults change nothing of what they want. */
export class Script {
  readonly #client: Client;
  readonly #context: ScenarioContext;
  readonly #random: SeededRandom;
  readonly #everything: boolean;
  #version = 1;

  constructor(context: ScenarioContext, { everything = false }: ScriptOptions = {}) {
    this.#context = context;
    this.#everything = everything;
    this.#client = context.client;
    this.#random = context.random;
  }

  async play(): Promise<void> {
    const workloads = this.#workloads();
    for (const { ref, object } of workloads) {
      await this.#pause(1000);
      await this.#client.create<KubeObject>(ref, object);
    }
    const lost = workloads.some(({ object }) => object.metadata.name === SILENT_NODE) && this.#loseNode();
    const ended = this.#endNamespace(workloads, this.#random.below(40_000));
    for (let left = 2 + this.#random.below(4); left > 0; left--) {
      await this.#pause(15_000);
      await this.#step();
    }
    await Promise.all([lost, ended]);
    await this.#settle();
    await this.#client.create<KubeObject>(corev1.configmaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: DONE,
    });
  }

  #workloads(): readonly Manifest[] {
    const replicas = (): number => 1 + this.#random.below(3);
    const strategy = this.#chance(3) ? 'Recreate' : 'RollingUpdate';
    const policy = this.#chance(2) ? 'Parallel' : 'OrderedReady';
    const always = [deployment('web', replicas(), strategy), statefulSet('db', replicas(), policy)];
    const sometimes = [
      [daemonSet('agent')],
      [job('report', 'well')],
      [job('tally', 'well', 'NonIndexed')],
      [job('broken', 'badly')],
      [briefJob('brief')],
      [cronJob('tick', this.#chance(2) ? 'Replace' : 'Forbid')],
      [service('web')],
      [disruptionBudget('web')],
      [quota('all')],
      [deployment('api', 2 * replicas(), 'RollingUpdate'), autoscaler('api')],
      [silentNode(), lostJob('lost')],
      [NEW_NAMESPACE, ...[statefulSet('db', 1, 'Parallel'), job('broken', 'badly')].map(inShort)],
    ];
    return [...always, ...sometimes.filter(() => this.#chance(2) || this.#everything).flat()];
  }

  #step(): Promise<unknown> {
    const steps = [
      () => this.#scale(),
      () => this.#scale(),
      () => this.#rollOut(),
      () => this.#rollOut(),
      () => this.#losePods(),
      () => this.#begone(),
      () => this.#load(),
      () => this.#meddle(),
    ];
    return (this.#random.pick(steps) ?? steps[0])?.() ?? Promise.resolve();
  }

  /** How far a set had come leaves claims behind; how far a Deployment had come leaves nothing. */
  async #scale(): Promise<void> {
    const { ref, key } = this.#random.pick(SCALED) ?? { ref: appsv1.deployments, key: WEB };
    const body = { spec: { replicas: this.#random.below(5) } };
    if (key === DB) await this.#settle();
    await ignoreNotFound(this.#client.patch<KubeObject>(ref, key, { type: 'merge', body }));
  }

  /** Waits for what was rolled out before: how many revisions there are is no matter of chance then. */
  async #rollOut(): Promise<void> {
    const { ref, key } = this.#random.pick(SCALED) ?? { ref: appsv1.deployments, key: WEB };
    const image = imageOf(this.#chance(3) ? 1 : (this.#version += 1));
    await this.#settle();
    const body = { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } };
    await ignoreNotFound(this.#client.patch<KubeObject>(ref, key, { type: 'strategic', body }));
  }

  /** Somebody deletes pods, whichever there are. */
  async #losePods(): Promise<void> {
    const app = this.#chance(2) ? 'web' : 'db';
    const most = 1 + this.#random.below(2);
    const { items } = await this.#client.list(corev1.pods, {
      namespace: NAMESPACE,
      labelSelector: `app=${app}`,
    });
    for (const { metadata } of items.slice(0, most)) {
      const key = { namespace: NAMESPACE, name: metadata.name };
      await ignoreNotFound(this.#client.delete(corev1.pods, key));
    }
  }

  /** The Deployment goes, with all that it owns, and comes again. */
  async #begone(): Promise<void> {
    const propagationPolicy = this.#chance(2) ? 'Foreground' : 'Background';
    const replicas = this.#random.below(4);
    await this.#settle();
    await ignoreNotFound(this.#client.delete(appsv1.deployments, WEB, { propagationPolicy }));
    while ((await ignoreNotFound(this.#client.get(appsv1.deployments, WEB))) !== undefined)
      await this.#wait();
    await this.#settle();
    const { ref, object } = deployment('web', replicas, 'RollingUpdate');
    await this.#client.create<KubeObject>(ref, object);
  }

  /** There is more to be done, or less. */
  async #load(): Promise<void> {
    const body = { metadata: { annotations: { [QUEUE]: `${10 * this.#random.below(7)}` } } };
    await this.#client.patch<KubeObject>(corev1.namespaces, { name: NAMESPACE }, { type: 'merge', body });
  }

  /** Somebody spoils what every namespace has. */
  async #meddle(): Promise<void> {
    await ignoreNotFound(this.#client.delete(corev1.serviceaccounts, ACCOUNT));
    const body = { data: { 'ca.crt': 'spoilt' } };
    await ignoreNotFound(this.#client.patch<KubeObject>(corev1.configmaps, ROOT_CA, { type: 'merge', body }));
  }

  /** When its pod is being deleted, which no kubelet carries out, the node is removed. */
  async #loseNode(): Promise<void> {
    const evicted = async (): Promise<boolean> => {
      const { items } = await this.#client.list(corev1.pods, { namespace: NAMESPACE });
      const pod = items.find(({ spec }) => spec.nodeName === SILENT_NODE);
      return pod?.metadata.deletionTimestamp !== undefined;
    };
    while (!(await evicted())) await this.#wait();
    await this.#client.delete(corev1.nodes, { name: SILENT_NODE });
  }

  async #endNamespace(workloads: readonly Manifest[], after: number): Promise<void> {
    if (!workloads.includes(NEW_NAMESPACE)) return;
    await sleep(this.#context.clock, after);
    await this.#client.delete(corev1.namespaces, { name: SHORT });
  }

  async #settle(): Promise<void> {
    while ((await unsettled(this.#client, CHANGED)) !== undefined) await this.#wait();
  }

  #wait(): Promise<void> {
    return sleep(this.#context.clock, 1000, this.#context.signal);
  }

  #chance(among: number): boolean {
    return this.#random.below(among) === 0;
  }

  async #pause(most: number): Promise<void> {
    await sleep(this.#context.clock, this.#random.below(most));
  }
}
