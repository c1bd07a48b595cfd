import { createServer } from 'node:net';
import { listen } from '@kubewright/kube/serving';

type Address = { readonly host?: string | undefined; readonly port: number };

/**
 * Rejects with the error of a port that cannot be listened on. Asked before anything is created on a cluster: the servers
 * themselves listen when their certificates are there, long after.
 */
export async function requirePorts(addresses: readonly Address[]): Promise<void> {
  for (const address of addresses.filter(({ port }) => port !== 0)) {
    const server = createServer();
    await listen(server, address);
    await new Promise((resolve) => server.close(resolve));
  }
}
