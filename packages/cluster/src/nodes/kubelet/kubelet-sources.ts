import type { Clock } from '@kubewright/client';
import type { corev1, Stored } from '@kubewright/kube';
import { podContainers } from '../pods/pod-containers.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { Checkpoints } from './checkpoints.ts';

/** What the kubelet API serves: the pods of the nodes of this process, and their containers. */
export type KubeletSources = {
  /** Nodes of this process. */
  readonly names: readonly string[];
  /** A lost node responds to no request. */
  readonly isDown: (node: string) => boolean;
  readonly pod: (namespace: string, name: string) => Stored<corev1.Pod> | undefined;
  readonly podsOn: (node: string) => readonly Stored<corev1.Pod>[];
  readonly runtimes: readonly ContainerRuntime[];
  readonly checkpoints: Checkpoints;
  readonly clock: Clock;
};

/** A container, as a path names it. */
export type ContainerPlace = {
  readonly node: string;
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
};

/** The pod of that place, if the node runs it. */
export function podAt(
  { pod }: KubeletSources,
  { node, namespace, name }: ContainerPlace,
): Stored<corev1.Pod> | undefined {
  const found = pod(namespace, name);
  return found?.spec.nodeName === node ? found : undefined;
}

export function specOf(pod: Stored<corev1.Pod>, name: string): corev1.Container | undefined {
  const ephemeral: readonly { readonly name: string }[] = pod.spec.ephemeralContainers ?? [];
  const found = podContainers(pod).find(({ container }) => container.name === name)?.container;
  return found ?? ephemeral.find((one) => one.name === name);
}

export function statusOf(
  { status = {} }: Stored<corev1.Pod>,
  name: string,
): corev1.ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (one) => one.name === name,
  );
}

/** Who has a container, by `scheme://id` as a status shows it. */
export function runtimeOf(
  { runtimes }: KubeletSources,
  containerId: string,
): { readonly runtime: ContainerRuntime; readonly id: string } | undefined {
  const [scheme = '', id = ''] = containerId.split('://', 2);
  const runtime = runtimes.find((one) => one.scheme === scheme);
  return runtime === undefined ? undefined : { runtime, id };
}
