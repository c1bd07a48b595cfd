import { type Client, ignoreNotFound, sleep } from '@kubewright/client';
import { appsv1, corev1, type KubeObject } from '@kubewright/kube';
import type { Director, SeededRandom } from '@kubewright/cluster';
import {
  daemonSet,
  deployment,
  disruptionBudget,
  imageOf,
  job,
  type Manifest,
  NAMESPACE,
  service,
  statefulSet,
} from './manifests.ts';
import { unsettled } from './settled.ts';

/** The last that the script writes: nothing more will come from people. */
export const DONE = { name: 'script-done', namespace: 'default' };

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

/** What people do on a day. Every step is chosen by chance alone, so that faults change nothing of what they want. */
export class Script {
  readonly #client: Client;
  readonly #director: Director;
  readonly #random: SeededRandom;
  #version = 1;

  constructor(director: Director) {
    this.#director = director;
    this.#client = director.client;
    this.#random = director.random;
  }

  async play(): Promise<void> {
    for (const manifest of this.#workloads()) {
      await this.#pause(1000);
      await this.#client.create<KubeObject>(manifest.ref, manifest.object);
    }
    for (let left = 2 + this.#random.below(4); left > 0; left--) {
      await this.#pause(15_000);
      await this.#step();
    }
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
      daemonSet('agent'),
      job('report', 'well'),
      job('tally', 'well', 'NonIndexed'),
      job('broken', 'badly'),
      service('web'),
      disruptionBudget('web'),
    ];
    return [...always, ...sometimes.filter(() => this.#chance(2))];
  }

  #step(): Promise<unknown> {
    const steps = [
      () => this.#scale(),
      () => this.#scale(),
      () => this.#rollOut(),
      () => this.#rollOut(),
      () => this.#losePods(),
      () => this.#begone(),
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
      const key = { namespace: NAMESPACE, name: metadata.name ?? '' };
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

  async #settle(): Promise<void> {
    while ((await unsettled(this.#client)) !== undefined) await this.#wait();
  }

  #wait(): Promise<void> {
    return sleep(this.#director.clock, 1000, this.#director.signal);
  }

  #chance(among: number): boolean {
    return this.#random.below(among) === 0;
  }

  async #pause(most: number): Promise<void> {
    await sleep(this.#director.clock, this.#random.below(most));
  }
}
