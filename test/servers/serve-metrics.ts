import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createClient, systemClock } from '@kubewright/client';
import { createMetricsApi, installMetrics } from '@kubewright/cluster';
import type { Transport } from '@kubewright/kube';
import { issueCertificate, makeAuthority } from '../support/certificates.ts';

/** Serves the metrics APIs to a real cluster, of which `transport` is an admin. */
export async function serveMetrics(transport: Transport): Promise<{ close(): Promise<void> }> {
  const authority = await makeAuthority('metrics');
  const order = { subject: [{ CN: ['metrics'] }], usage: 'server' as const, names: ['localhost'] };
  const metrics = createMetricsApi({ transport, clock: systemClock, window: '0s' });
  const server = createServer(
    await issueCertificate(authority, order),
    (request, response) => void respond(metrics, request, response),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  await installMetrics(createClient(transport), { port: (server.address() as AddressInfo).port });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  metrics: ReturnType<typeof createMetricsApi>,
  { url = '' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, headers, body } = await metrics(url);
    response.writeHead(status, headers as Record<string, string>);
    await pipeline(body, response);
  } catch (error) {
    // Who asked may be gone already: kube-controller-manager ends before this server.
    if (!response.headersSent) response.writeHead(500);
    response.end(String(error));
  }
}
