import { AssertionError } from 'node:assert/strict';
import { type Server, createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { findServers } from '../../tools/assets/find.mjs';
import { type RealServer, startRealServer } from '../servers/real.ts';

declare module 'vitest' {
  // An interface, because vitest's is extended here.
  interface ProvidedContext {
    /** The address at which a worker requests the real control plane; the first request starts it. */
    readonly realServerBroker: string;
  }
}

let real: Promise<RealServer> | undefined;

function broker(): Server {
  return createServer((_request, response) => {
    // Workers ask minutes apart: a kept connection would be closed from here while a busy one reuses it.
    response.setHeader('connection', 'close');
    const assets = findServers();
    real ??=
      assets === undefined
        ? Promise.reject(new AssertionError({ message: 'no etcd and kube-apiserver' }))
        : startRealServer(assets);
    real.then(
      ({ url, caCert, token, kubeconfigPath, clientCa }) =>
        response.end(JSON.stringify({ url, caCert, token, kubeconfigPath, clientCa })),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
}

/** One real control plane for a whole run of vitest, started when the first suite needs it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = broker();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  project.provide('realServerBroker', `http://127.0.0.1:${port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await real?.then((running) => running.stop()).catch(() => undefined);
  };
}
