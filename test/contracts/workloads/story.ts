import assert from 'node:assert/strict';
import { type Client, createClient, ignoreNotFound } from '@kubewright/client';
import { appsv1, corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { startReadiness } from './readiness.ts';

let told = 0;

/** One test's namespace, and what happens to pods in it. */
export class Story {
  readonly client: Client;
  readonly namespace: string;
  readonly #stop = new AbortController();
  readonly #readiness: Promise<void>;

  private constructor(client: Client, namespace: string, isReady: (pod: corev1.Pod) => boolean) {
    this.client = client;
    this.namespace = namespace;
    this.#readiness = startReadiness(client, { namespace, isReady, signal: this.#stop.signal });
  }

  static async begin(
    transport: Transport,
    isReady: (pod: corev1.Pod) => boolean = () => true,
  ): Promise<Story> {
    const client = createClient(transport);
    const name = `story-${++told}`;
    await client.create(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: {},
    });
    return new Story(client, name, isReady);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#readiness;
  }

  key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.namespace, name };
  }

  /** Makes a Deployment `web`, or changes it. */
  async deploy(spec: Partial<appsv1.DeploymentSpec>, image = 'web:1'): Promise<void> {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } };
    const deployment: appsv1.Deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: this.namespace },
      spec: { selector: { matchLabels: labels }, template, ...spec },
    };
    await this.client.apply(appsv1.deployments, deployment, { fieldManager: 'test', force: true });
  }

  async deployment(isSo: (deployment: appsv1.Deployment) => boolean): Promise<appsv1.Deployment> {
    const found = await waitForObject(this.client, appsv1.deployments, this.key('web'), (live) =>
      live === undefined ? false : isSo(live),
    );
    assert(found !== undefined, 'the Deployment is gone');
    return found;
  }

  /** Until all wanted pods are of the current template and available, and the status says so. */
  rolledOut(): Promise<appsv1.Deployment> {
    return this.deployment(({ metadata, spec, status = {} }) => {
      const wanted = spec.replicas ?? 1;
      const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration } = status;
      const counts = [replicas, updatedReplicas, availableReplicas].every((count) => count === wanted);
      const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
      return (
        counts &&
        observedGeneration === metadata.generation &&
        progressing?.reason === 'NewReplicaSetAvailable'
      );
    });
  }

  /** Oldest first, by their revision. */
  async replicaSets(): Promise<readonly appsv1.ReplicaSet[]> {
    const { items } = await this.client.list(appsv1.replicasets, { namespace: this.namespace });
    const revision = ({ metadata }: KubeObject): number =>
      Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
    return [...items].sort((a, b) => revision(a) - revision(b));
  }

  async pods(): Promise<readonly corev1.Pod[]> {
    const { items } = await this.client.list(corev1.pods, { namespace: this.namespace });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Reasons and messages of the events about objects of a kind, names of revisions replaced by `R1`, `R2`, …. */
  async events(kind: string): Promise<readonly string[]> {
    const names = (await this.replicaSets()).map(({ metadata }) => metadata.name ?? '');
    const { items } = await this.client.list(corev1.events, { namespace: this.namespace });
    const texts = items
      .filter(({ involvedObject }) => involvedObject.kind === kind)
      .map(({ reason, message }) => `${reason}: ${message}`);
    return [
      ...new Set(
        texts.map((text) => names.reduce((now, name, at) => now.replaceAll(name, `R${at + 1}`), text)),
      ),
    ].sort();
  }

  remove(pod: corev1.Pod): Promise<unknown> {
    return ignoreNotFound(this.client.delete(corev1.pods, this.key(pod.metadata.name ?? '')));
  }
}
