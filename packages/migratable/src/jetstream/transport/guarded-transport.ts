import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import { NatsConnectionImpl, setTransportFactory } from '@nats-io/transport-node';
import { nodeResolveHost, NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';
import { guardSocket } from '../../guard-socket.ts';
import { ProtocolGuard } from './protocol-guard.ts';

/**
 * The client's way to a server, with what it lacks: it keeps all that comes until a line has an end, copies that for each
 * chunk, reads on when it could not parse, and keeps the connection when it has given up.
 */
class GuardedTransport extends NodeTransport {
  /** As it was given: what is dialled is what that resolves to. */
  get #address(): string {
    return String(this.options.servers);
  }

  override async dial(hp: { hostname: string; port: number }): Promise<Socket> {
    const socket = await super.dial(hp);
    guardSocket(socket, this.#address, new ProtocolGuard(false));
    return socket;
  }

  override async startTLS(): Promise<TLSSocket> {
    const socket = await super.startTLS();
    guardSocket(socket, this.#address, new ProtocolGuard(true));
    return socket;
  }

  override async close(error?: Error): Promise<void> {
    await super.close(error);
    if (!this.connected) this.discard();
  }
}

/** As the client's own `connect`, with a guard. The way is the same for all connections of a process. */
export function connectGuarded(options: ConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new GuardedTransport(), dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(options);
}
