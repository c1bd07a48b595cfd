import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Where a pod of a Service serves, and where it says that it is ready, on the loopback. */
export type Endpoint = { readonly port: number; readonly healthPort: number };

/** How often readiness is read: a connection may go to a pod that has been unready for so long. */
const PROBE_EVERY_MS = 200;

/**
 * Plays kube-proxy and the kubelet's probes for one Service, because on a machine without kube-proxy its cluster IP leads
 * nowhere: new connections go to the pods that were ready lately, in turn; open ones stay where they are.
 */
export class ServiceBalancer {
  /** All pods, ready or not. */
  readonly endpoints = new Set<Endpoint>();
  /** How many connections each pod got. */
  readonly connections = new Map<Endpoint, number>();
  readonly #server: Server;
  readonly #stop = new AbortController();
  readonly #sockets = new Set<Socket>();
  #ready: readonly Endpoint[] = [];
  #turn = 0;

  constructor() {
    this.#server = createServer((client) => this.#join(client));
  }

  /** Resolves with its port. */
  async listen(): Promise<number> {
    void this.#probe();
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  isReady(endpoint: Endpoint): boolean {
    return this.#ready.includes(endpoint);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #probe(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const all = [...this.endpoints];
      const answers = await Promise.all(all.map(({ healthPort }) => isReady(healthPort)));
      this.#ready = all.filter((_, at) => answers[at]);
      await delay(PROBE_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #join(client: Socket): void {
    const endpoint = this.#ready[(this.#turn += 1) % this.#ready.length];
    if (endpoint === undefined) return void client.destroy();
    this.connections.set(endpoint, (this.connections.get(endpoint) ?? 0) + 1);
    const pod = connect({ port: endpoint.port, host: '127.0.0.1' });
    for (const [socket, other] of [
      [client, pod],
      [pod, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
      socket.pipe(other);
    }
  }
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  await answer?.text();
  return answer?.status === 200;
}
