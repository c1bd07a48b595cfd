import { type corev1, defined, parseTime, type Stored } from '@kubewright/kube';
import { ClusterError } from '../../cluster-error.ts';
import type { ContainerRuntime, ContainerState } from '../runtime/container-runtime.ts';
import type { Observed, SeenContainer } from './observed.ts';
import { podContainers } from './pod-containers.ts';
import { type PodRecord, shownEnd, statusesOf } from './pod-record.ts';

/** What observing a pod needs beside the pod. */
export type ObserveContext = Pick<Observed, 'hostIP' | 'createMs' | 'record'> & {
  readonly runtimes: readonly ContainerRuntime[];
  readonly obstacle?: Observed['obstacle'];
  /** Why containers cannot be created, by name. */
  readonly configErrors: ReadonlyMap<string, string>;
};

/** All that is known of a pod now. Reads memory only. */
export function observe(pod: Stored<corev1.Pod>, context: ObserveContext): Observed {
  const { runtimes, record, hostIP, createMs, obstacle, configErrors } = context;
  const containers = new Map<string, SeenContainer>();
  for (const { container } of podContainers(pod)) {
    const runtime = runtimeFor(runtimes, pod, container);
    const id = record.containers.get(container.name)?.attempt?.id;
    const state = id === undefined ? undefined : stateOf(runtime, pod, record, id);
    const configError = configErrors.get(container.name);
    containers.set(container.name, {
      scheme: runtime.scheme,
      image: runtime.image(pod, container),
      ...defined({ state, configError }),
    });
  }
  return { pod, hostIP, record, containers, createMs, ...defined({ obstacle }) };
}

/** The runtime that has a container; the last one takes the rest. */
export function runtimeFor(
  runtimes: readonly ContainerRuntime[],
  pod: Stored<corev1.Pod>,
  container: corev1.Container,
): ContainerRuntime {
  const found = runtimes.find((runtime) => runtime.runs(pod, container)) ?? runtimes.at(-1);
  if (found === undefined)
    throw new ClusterError('InvalidState', 'a node has at least one container runtime');
  return found;
}

/** A container that neither a runtime nor the status knows is lost. */
function stateOf(
  runtime: ContainerRuntime,
  pod: Stored<corev1.Pod>,
  { since }: PodRecord,
  id: string,
): ContainerState {
  const known = runtime.state(id) ?? shownEnd(pod, id, readTime);
  return (
    known ?? {
      type: 'exited',
      startedAt: since,
      finishedAt: since,
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was terminated',
    }
  );
}

/** Gives the runtimes the containers that run by the pod's status, when a node first sees it. */
export function adoptContainers(
  pod: Stored<corev1.Pod>,
  record: PodRecord,
  { runtimes, node }: { readonly runtimes: readonly ContainerRuntime[]; readonly node: string },
): void {
  for (const { container } of podContainers(pod)) {
    const attempt = record.containers.get(container.name)?.attempt;
    const running = statusesOf(pod).find(({ name }) => name === container.name)?.state?.running;
    if (attempt === undefined || running === undefined) continue;
    const runtime = runtimeFor(runtimes, pod, container);
    if (runtime.state(attempt.id) !== undefined) continue;
    const start = { id: attempt.id, attempt: attempt.number, pod, container, ip: record.ip, node };
    runtime.adopt?.(start, readTime(running.startedAt));
  }
}

/** Any client may have written the status: an invalid time counts as the epoch. */
function readTime(text: string | undefined): number {
  try {
    return text === undefined ? 0 : parseTime(text).getTime();
  } catch {
    return 0;
  }
}
