import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@kubewright/client';
import { corev1, getOwn, type Stored, type Transport } from '@kubewright/kube';
import { parseQuantity, quantityAsNumber } from '@kubewright/kube/quantity';

const PREFIX = 'metrics.kubewright.dev/';
/** Requests per second of a pod. All take a tenth of a second. */
const REQUESTS = 'custom.http_server_requests_seconds_count';
const TENTH = 0.1;

export type PodMetrics = { /** `127.0.0.1:PORT` */ readonly target: string; stop(): Promise<void> };

/** What a pod has used since it was first seen. */
type Counters = { readonly at: number; readonly cpu: number; readonly requests: number };

/**
 * Serves at `/metrics` what cAdvisor and an instrumented function expose of running pods: counters that grow by what the
 * pods' annotations say, per second.
 */
export async function servePodMetrics(transport: Transport): Promise<PodMetrics> {
  const client = createClient(transport);
  const counters = new Map<string, Counters>();
  const server = createServer((_request, response) => {
    // Prometheus stamps samples with when it asked for them, however long the response takes.
    const now = performance.now() / 1000;
    const write = async (): Promise<void> => {
      const { items } = await client.list(corev1.pods, {});
      const lines = items.filter(isRunning).flatMap((pod) => linesOf(pod, advance(counters, pod, now)));
      response.end(`${lines.join('\n')}\n`);
    };
    write().catch(() => response.writeHead(503).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    target: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const isRunning = ({ status }: corev1.Pod): boolean => status?.phase === 'Running';

function advance(counters: Map<string, Counters>, pod: Stored<corev1.Pod>, now: number): Counters {
  const { uid } = pod.metadata;
  const { at, cpu, requests } = counters.get(uid) ?? { at: now, cpu: 0, requests: 0 };
  // The response to a scrape that Prometheus gave up on may come after that to the next one.
  const seconds = Math.max(0, now - at);
  const next = {
    at: at + seconds,
    cpu: cpu + seconds * rateOf(pod, 'cpu'),
    requests: requests + seconds * rateOf(pod, REQUESTS),
  };
  counters.set(uid, next);
  return next;
}

function rateOf({ metadata }: corev1.Pod, name: string): number {
  const text = getOwn(metadata.annotations ?? {}, `${PREFIX}${name}`);
  return typeof text === 'string' ? quantityAsNumber(parseQuantity(text)) : 0;
}

function linesOf({ metadata, spec }: Stored<corev1.Pod>, { cpu, requests }: Counters): readonly string[] {
  const pod = `namespace="${metadata.namespace ?? ''}",pod="${metadata.name}"`;
  const container = `${pod},container="${spec.containers[0]?.name ?? ''}"`;
  const bucket = (le: string, count: number): string =>
    `http_server_requests_seconds_bucket{${pod},le="${le}"} ${count}`;
  return [
    `container_cpu_usage_seconds_total{${container}} ${cpu}`,
    `container_memory_working_set_bytes{${container}} 1000000`,
    bucket('0.05', 0),
    bucket('0.1', requests),
    bucket('+Inf', requests),
    `http_server_requests_seconds_count{${pod}} ${requests}`,
    `http_server_requests_seconds_sum{${pod}} ${requests * TENTH}`,
  ];
}
