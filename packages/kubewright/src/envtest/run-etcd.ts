import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen, requestListener } from '@kubewright/kube/serving';
import { errorText } from '@kubewright/kube';
import { explainPort, untilStopped } from '../run/serve-api.ts';
import type { Terminal } from '../terminal.ts';
import type { GivenFlags } from './read-go-flags.ts';

const HEALTHY = ['/health', '/readyz', '/livez'];

/**
 * Stands in for etcd, which the embedded API does not need: says that it is healthy, until a signal. Suites start one and
 * wait for it.
 */
export async function runEtcd(flags: GivenFlags, terminal: Terminal): Promise<void> {
  const [url = 'http://127.0.0.1:2379'] = flags.all('listen-client-urls');
  const { hostname, port } = new URL(url);
  const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
  const failed = (error: unknown): void => terminal.err(`etcd: ${errorText(error)}\n`);
  const server = createServer(requestListener(serveHealth, failed));
  const listening = await listen(server, place, failed).catch((error: unknown) => {
    throw explainPort(error, 'choose another in --listen-client-urls', place.port) ?? error;
  });
  terminal.err(`serving on port ${listening}; stores nothing\n`);
  await untilStopped(terminal);
  server.close();
  server.closeAllConnections();
}

async function serveHealth({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const found = HEALTHY.includes(url);
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
  response.end(found ? '{"health":"true","reason":""}' : '{}');
}
