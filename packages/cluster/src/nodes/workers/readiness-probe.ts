import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '@kubewright/client';
import type { corev1 } from '@kubewright/kube';

const FIRST_EVERY_MS = 1000;
const LOOPBACK = '127.0.0.1';

type Probed = {
  readonly clock: Clock;
  /** Where a port of the container is on the loopback. */
  readonly at: (port: number) => number | undefined;
  readonly report: (ready: boolean) => void;
};

/** True for a container that is not ready until its probe succeeds. */
export function hasHttpProbe({ readinessProbe }: corev1.Container): boolean {
  return readinessProbe?.httpGet !== undefined;
}

/**
 * Probes a container by HTTP, as kubelet does: from 200 to 399 is ready. Every second until it is, then in the probe's own
 * period. Returns what ends it.
 */
export function probeReadiness(container: corev1.Container, { clock, at, report }: Probed): () => void {
  const { readinessProbe: probe } = container;
  const { httpGet } = probe ?? {};
  if (probe === undefined || httpGet === undefined) return () => undefined;
  const { periodSeconds = 10, failureThreshold = 3, timeoutSeconds = 1 } = probe;
  let isReady = false;
  let failures = 0;
  let isEnded = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    const port = at(portOf(container, httpGet.port));
    const isFine = port !== undefined && (await succeeds(httpGet, port, timeoutSeconds * 1000));
    if (isEnded) return;
    failures = isFine ? 0 : failures + 1;
    isReady = isFine || (isReady && failures < failureThreshold);
    report(isReady);
    later(isReady ? periodSeconds * 1000 : FIRST_EVERY_MS);
  };
  const later = (ms: number): void => {
    cancel = clock.after(ms, () => void look(), { background: true });
  };
  later((probe.initialDelaySeconds ?? 0) * 1000);
  return () => {
    isEnded = true;
    cancel();
  };
}

function portOf({ ports = [] }: corev1.Container, port: number | string): number {
  if (typeof port === 'number') return port;
  return ports.find(({ name }) => name === port)?.containerPort ?? Number(port);
}

/** Never rejects. */
function succeeds(
  { path = '/', scheme }: corev1.HTTPGetAction,
  port: number,
  timeout: number,
): Promise<boolean> {
  const isTls = scheme === 'HTTPS';
  const how = { host: LOOPBACK, port, path, timeout, agent: false } as const;
  return new Promise((resolve) => {
    const sent = isTls ? httpsRequest({ ...how, rejectUnauthorized: false }) : httpRequest(how);
    sent.on('response', (response) => {
      const { statusCode = 0 } = response;
      response.destroy();
      resolve(statusCode >= 200 && statusCode < 400);
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(false));
    sent.on('close', () => resolve(false));
    sent.end();
  });
}
