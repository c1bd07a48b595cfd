import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire between clients and a server that can be cut. */
export type TcpProxy = {
  readonly port: number;
  /** Connections that are open now. */
  readonly open: number;
  /** Connections that were ended by {@link cut} and {@link cutAfter}. */
  readonly cuts: number;
  /** Ends all connections; with `reset` as a peer does that has forgotten them (RST). */
  cut(how?: 'end' | 'reset'): void;
  /**
   * Resets the clients; the server's side of their connections stays open and silent, until it gives up or what this returns is
   * called.
   */
  halve(): () => void;
  /** The next `times` connections are reset when so many bytes have come from the server; one that ends before does not count. */
  cutAfter(bytes: number, times: number): void;
  /** From now on drops all bytes without closing a connection. */
  stall(): void;
  /** Lets bytes pass again on new connections; those that were stalled are as good as dead. */
  flow(): void;
  close(): Promise<void>;
};

/** One client's connection and its other half, and after how many bytes it is cut. */
type Pair = { readonly client: Socket; readonly server: Socket; readonly limit?: number | undefined };

/** Listens on a free loopback port and passes bytes to `target` and back: to the port that it has when somebody connects. */
export async function startTcpProxy(target: { readonly port: number }): Promise<TcpProxy> {
  const wire = new Wire(target);
  const listener = createServer((client) => wire.join(client));
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    get open() {
      return wire.pairs.size;
    },
    get cuts() {
      return wire.cuts;
    },
    cut: (how = 'end') => wire.cutAll(how),
    halve: () => wire.halve(),
    cutAfter: (bytes, times) => wire.limits.push(...Array.from({ length: times }, () => bytes)),
    stall() {
      wire.isStalled = true;
      for (const pair of wire.pairs) stop(pair);
    },
    flow() {
      wire.isStalled = false;
    },
    async close() {
      wire.cutAll('end');
      await new Promise<void>((resolve) => {
        listener.close(() => resolve());
      });
    },
  };
}

class Wire {
  readonly pairs = new Set<Pair>();
  /** Bytes after which the next connections are cut. */
  readonly limits: number[] = [];
  cuts = 0;
  isStalled = false;
  readonly #target: { readonly port: number };
  readonly #halved = new Set<Pair>();

  constructor(target: { readonly port: number }) {
    this.#target = target;
  }

  join(client: Socket): void {
    const server = connect({ port: this.#target.port, host: '127.0.0.1', noDelay: true });
    const pair = { client, server, limit: this.isStalled ? undefined : this.limits.shift() };
    client.setNoDelay(true);
    this.pairs.add(pair);
    for (const socket of [pair.client, pair.server]) {
      // Ends are what this wire is for; without a listener they would end the process.
      socket.on('error', () => undefined);
      socket.on('close', () => this.#forget(pair));
    }
    if (this.isStalled) return stop(pair);
    pair.client.pipe(pair.server);
    pair.server.pipe(pair.client);
    if (pair.limit !== undefined) this.#limit(pair, pair.limit);
  }

  halve(): () => void {
    const halved = [...this.pairs];
    this.pairs.clear();
    for (const pair of halved) {
      this.#halved.add(pair);
      stop(pair);
      pair.client.resetAndDestroy();
      pair.server.resume();
    }
    return () => {
      for (const { server } of halved) server.destroy();
    };
  }

  cutAll(how: 'end' | 'reset'): void {
    for (const pair of this.pairs) this.#cut(pair, how);
  }

  #cut(pair: Pair, how: 'end' | 'reset'): void {
    const { client, server } = pair;
    this.cuts += 1;
    this.pairs.delete(pair);
    server.destroy();
    if (how === 'reset') client.resetAndDestroy();
    else client.destroy();
  }

  #limit(pair: Pair, bytes: number): void {
    let left = bytes;
    pair.server.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left <= 0 && this.pairs.has(pair)) this.#cut(pair, 'reset');
    });
  }

  #forget(pair: Pair): void {
    if (this.#halved.has(pair)) return;
    const isCut = !this.pairs.delete(pair);
    // A client on a busy machine may have given up before it got so far.
    if (!isCut && pair.limit !== undefined) this.limits.unshift(pair.limit);
    pair.client.destroy();
    pair.server.destroy();
  }
}

function stop({ client, server }: Pair): void {
  client.unpipe(server);
  server.unpipe(client);
  client.pause();
  server.pause();
}
