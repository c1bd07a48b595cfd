import type { LoadDay } from './loads.ts';
import type { WrittenSample } from './sources/remote-write.ts';

export const NAMESPACE = 'shop';

const REQUESTS = 'http_server_requests_seconds';
/** Of each request, in seconds. */
const LATENCY = 0.05;

type Pod = {
  readonly name: string;
  /** Seconds since the day began. */
  readonly since: number;
  /** Counts the containers that it has had. */
  container: number;
  /** Core-seconds of the container, and requests, since it began. */
  used: number;
  requests: number;
};

/** Pods that share a load, and what is measured of them. */
export class MeasuredPods {
  readonly #day: LoadDay;
  /** Milliseconds since 1970 at which the day begins. */
  readonly #start: number;
  #pods: readonly Pod[] = [];
  #made = 0;
  #late: readonly WrittenSample[] = [];

  constructor(day: LoadDay, start: number) {
    this.#day = day;
    this.#start = start;
  }

  /** For how many seconds each has run at `t`. */
  runningAt(t: number): ReadonlyMap<string, number> {
    return new Map(this.#pods.map(({ name, since }) => [name, t - since]));
  }

  /** Makes pods, or removes the newest. */
  scale(replicas: number, t: number): void {
    const more = Array.from({ length: Math.max(0, replicas - this.#pods.length) }, () => this.#newPod(t));
    this.#pods = [...this.#pods.slice(0, replicas), ...more];
  }

  replaceAll(t: number): void {
    this.#pods = this.#pods.map(() => this.#newPod(t));
  }

  /** `seconds` of work until `t`. Returns the samples that arrive then. */
  work(t: number, seconds: number): readonly WrittenSample[] {
    const { load, requests, troubles = {} } = this.#day;
    const { restartsEach, lateness = 0 } = troubles;
    const share = load(t) / 1000 / this.#pods.length;
    for (const [index, pod] of this.#pods.entries()) {
      const isRestart = restartsEach !== undefined && t > 0 && (t - index * seconds) % restartsEach === 0;
      if (isRestart) Object.assign(pod, { container: pod.container + 1, used: 0, requests: 0 });
      pod.used += share * seconds;
      pod.requests += share * seconds * (requests?.perCore ?? 0);
    }
    this.#late = [...this.#late, ...this.#pods.flatMap((pod, index) => this.#samples(pod, index, t))];
    const arrived = this.#late.filter(({ at }) => at + 1000 * lateness <= this.#start + 1000 * t);
    this.#late = this.#late.filter((sample) => !arrived.includes(sample));
    return arrived;
  }

  #newPod(since: number): Pod {
    this.#made++;
    return {
      name: `cart-7d9c5bfd8-${String(this.#made).padStart(5, '0')}`,
      since,
      container: 0,
      used: 0,
      requests: 0,
    };
  }

  #samples(pod: Pod, index: number, t: number): readonly WrittenSample[] {
    const { requests, troubles = {} } = this.#day;
    const { isMeasured = () => true, jobs = 1 } = troubles;
    const at = this.#start + 1000 * t;
    const common = { namespace: NAMESPACE, pod: pod.name };
    const container = {
      ...common,
      container: 'function',
      id: `/kubepods/${pod.name}/${pod.container}`,
      cpu: 'total',
    };
    const of = (
      name: string,
      value: WrittenSample['value'],
      labels: Readonly<Record<string, string>>,
    ): readonly WrittenSample[] =>
      Array.from({ length: jobs }, (_, job) => ({
        labels: { ...labels, __name__: name, job: `kubelet-${job}`, instance: `10.0.0.${job}:10250` },
        value,
        at,
      }));
    const histogram = (): readonly WrittenSample[] => {
      const count = pod.requests;
      if (requests?.form === 'native')
        return of(REQUESTS, { count, sum: count * LATENCY, bucket: -4 }, common);
      const bucket = requests?.form === 'vmrange' ? { vmrange: '4.642e-02...5.275e-02' } : { le: '0.05' };
      const buckets = [bucket, ...('le' in bucket ? [{ le: '+Inf' }] : [])];
      return [
        ...of(`${REQUESTS}_count`, count, common),
        ...buckets.flatMap((labels) => of(`${REQUESTS}_bucket`, count, { ...common, ...labels })),
      ];
    };
    return [
      ...(isMeasured('cpu', t, index) ? of('container_cpu_usage_seconds_total', pod.used, container) : []),
      ...(requests !== undefined && isMeasured('requests', t, index) ? histogram() : []),
    ];
  }
}
