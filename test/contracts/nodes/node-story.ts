import assert from 'node:assert/strict';
import { type Client, createClient, ignoreNotFound } from '@kubewright/client';
import { compareText, corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';

let told = 0;

/** One test's namespace, and the pods in it. */
export class NodeStory {
  readonly client: Client;
  readonly namespace: string;

  private constructor(client: Client, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  static async begin(transport: Transport): Promise<NodeStory> {
    const client = createClient(transport);
    const name = `nodes-${++told}`;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} } as const;
    await client.create(corev1.namespaces, namespace);
    return new NodeStory(client, name);
  }

  key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.namespace, name };
  }

  /** Makes a pod with one container `main`, or what `spec` says. */
  run(
    name: string,
    spec: Partial<corev1.PodSpec> = {},
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<corev1.Pod> {
    const about = Object.entries(annotations).map(([key, value]) => [`nodes.kubewright.dev/${key}`, value]);
    return this.client.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: this.namespace, annotations: Object.fromEntries(about) },
      spec: { containers: [{ name: 'main', image: 'web:1' }], ...spec },
    });
  }

  async until(name: string, isSo: (pod: corev1.Pod) => boolean): Promise<corev1.Pod> {
    const found = await waitForObject(this.client, corev1.pods, this.key(name), (pod) =>
      pod === undefined ? false : isSo(pod),
    );
    assert(found !== undefined, `the pod ${name} is gone`);
    return found;
  }

  async untilGone(name: string): Promise<void> {
    await waitForObject(this.client, corev1.pods, this.key(name), (pod) => pod === undefined);
  }

  /** All states of a pod that a watch tells, until it is so. */
  async history(
    name: string,
    isEnd: (pod: corev1.Pod | undefined) => boolean,
  ): Promise<readonly corev1.Pod[]> {
    const seen: corev1.Pod[] = [];
    const stop = new AbortController();
    const selector = { namespace: this.namespace, fieldSelector: `metadata.name=${name}` };
    for await (const event of this.client.watch(corev1.pods, { ...selector, signal: stop.signal })) {
      if (event.type === 'ERROR' || event.type === 'BOOKMARK') continue;
      seen.push(event.object);
      if (isEnd(event.type === 'DELETED' ? undefined : event.object)) break;
    }
    stop.abort();
    return seen;
  }

  remove(name: string, gracePeriodSeconds?: number): Promise<unknown> {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    return ignoreNotFound(this.client.delete(corev1.pods, this.key(name), options));
  }

  /** `reason: message` of what nodes told of a pod, in their order. */
  async events(name: string): Promise<readonly string[]> {
    const { items } = await this.client.list(corev1.events, {
      namespace: this.namespace,
      fieldSelector: `involvedObject.name=${name}`,
    });
    return items
      .filter(({ source }) => source?.component === 'kubelet')
      .sort((a, b) => compareText(a.metadata.name, b.metadata.name))
      .map(({ reason, message }) => `${reason}: ${message}`);
  }
}

export const isRunning = ({ status }: corev1.Pod): boolean => status?.phase === 'Running';

export function isReady({ status }: corev1.Pod): boolean {
  return status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;
}

/** `type status reason` of each condition. */
export function conditionsOf({ status }: corev1.Pod): readonly string[] {
  return (status?.conditions ?? [])
    .map(({ type, status: holds, reason }) => [type, holds, reason].filter(Boolean).join(' '))
    .sort();
}

export function statusOf(pod: corev1.Pod, container = 'main'): corev1.ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  return [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container);
}
