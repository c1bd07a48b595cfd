import { type corev1, type KubeObject, parseTime, type Stored } from '@kubewright/kube';
import { readyTransition } from '../workloads/pod-state.ts';

type Seen = { readonly service: number; readonly pods: ReadonlyMap<string, number> };

/**
 * When the changes happened that a service's endpoints are written for: what
 * `endpoints.kubernetes.io/last-change-trigger-time` tells, by which programming delays are measured. It is known only
 * of changes that this process has met.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /**
   * The earliest change since the last call for this service, in milliseconds since the epoch: its own creation the
   * first time, then of the readiness of its pods. Undefined if there was none.
   */
  next(service: Stored<corev1.Service>, pods: readonly Stored<corev1.Pod>[]): number | undefined {
    const key = keyOf(service);
    const before = this.#seen.get(key);
    const seen: Seen = {
      service: createdAt(service),
      pods: new Map(
        pods.flatMap((pod) => {
          const time = readyTransition(pod);
          return time === undefined ? [] : [[pod.metadata.name, time] as const];
        }),
      ),
    };
    this.#seen.set(key, seen);
    if (before === undefined) return seen.service;
    const changed = [...seen.pods].filter(([name, time]) => time > (before.pods.get(name) ?? -Infinity));
    const times = changed.map(([, time]) => time);
    if (seen.service > before.service) times.push(seen.service);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  forget(namespace: string, name: string): void {
    this.#seen.delete(`${namespace}/${name}`);
  }
}

function keyOf({ metadata: { namespace, name } }: Stored<corev1.Service>): string {
  return `${namespace}/${name}`;
}

function createdAt({ metadata: { creationTimestamp } }: KubeObject): number {
  return typeof creationTimestamp !== 'string' ? 0 : parseTime(creationTimestamp).getTime();
}
