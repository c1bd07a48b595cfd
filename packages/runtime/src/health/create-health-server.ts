import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { aborted } from '@kubewright/kube';
import { listen, requestListener } from '@kubewright/kube/serving';
import type { Registry } from 'prom-client';
import type { Logger } from '../log/logger.ts';
import { collectTogether } from '../metrics/collect-together.ts';
import type { Runnable } from '../runnable.ts';
import type { ManagerHealth } from './manager-health.ts';

export type HealthServerOptions = {
  /** 0 takes a free port. */
  readonly port: number;
  /** Address to listen on. Default: all, because probes come from outside the pod. */
  readonly host?: string;
  /** Called once it listens. */
  readonly onListening?: (port: number) => void;
};

/** What the server reports on: a manager. */
type Reported = { readonly registry: Registry; readonly log: Logger; health(): ManagerHealth };

type ProbeResponse = { readonly status: number; readonly type: string; readonly body: string };

const TEXT = 'text/plain; charset=utf-8';

/**
 * Serves `/healthz` (liveness), `/readyz` (readiness) and `/metrics` over plain HTTP, for the kubelet's probes and for
 * Prometheus. It starts and stops with its manager.
 */
export function createHealthServer(manager: Reported, options: HealthServerOptions): Runnable {
  return {
    needLeaderElection: false,
    async start(signal) {
      const failed = (error: unknown): void => manager.log.error('the health server failed', { error });
      const metrics = collectTogether(manager.registry);
      const handle = (request: IncomingMessage, response: ServerResponse) =>
        respond(manager, metrics, request, response);
      const server = createServer(requestListener(handle, failed));
      const port = await listen(server, options, failed);
      options.onListening?.(port);
      await aborted(signal);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(
  manager: Reported,
  metrics: () => Promise<string>,
  { url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, type, body } = await probeResponse(manager, metrics, (url ?? '/').split('?')[0] ?? '/');
    response.writeHead(status, { 'content-type': type }).end(body);
  } catch (error) {
    manager.log.error('could not respond to a probe', { error });
    response.writeHead(500).end();
  }
}

async function probeResponse(
  manager: Reported,
  metrics: () => Promise<string>,
  path: string,
): Promise<ProbeResponse> {
  const health = manager.health();
  switch (path) {
    case '/healthz':
      return probe(health.live, health);
    case '/readyz':
      return probe(health.ready, health);
    case '/metrics':
      return { status: 200, type: manager.registry.contentType, body: await metrics() };
    default:
      return { status: 404, type: TEXT, body: 'not found\n' };
  }
}

/** The body lists what is degraded, whatever the status code is. */
function probe(well: boolean, { reasons, degraded }: ManagerHealth): ProbeResponse {
  const lines = [...(well ? ['ok'] : reasons), ...degraded.map((text) => `degraded: ${text}`)];
  return { status: well ? 200 : 500, type: TEXT, body: `${lines.join('\n')}\n` };
}
