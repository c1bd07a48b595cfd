import { createServer } from 'node:net';
import { type Clock, systemClock } from '@kubewright/kube';
import { listen } from '@kubewright/kube/serving';
import type { BrokerCore } from '../in-process/broker-core.ts';
import { AmqpSocket, type Credentials, HEARTBEAT_S } from './amqp-socket.ts';

export type AmqpServerOptions = {
  /** Default: a free port. */
  readonly port?: number;
  /** The credentials of clients. Default: `guest`, `guest`, as with RabbitMQ on the loopback. */
  readonly credentials?: Credentials;
  readonly clock?: Clock;
};

export type AmqpServer = {
  /** `amqp://…`, without credentials. */
  readonly url: string;
  readonly port: number;
  /** Closes all connections; unacked messages are requeued. */
  close(): Promise<void>;
};

const GUEST: Credentials = { username: 'guest', password: 'guest' };

/**
 * Serves a broker of this process to other threads and processes of this machine: AMQP 0-9-1, on the loopback only. It
 * has what clients of durable queues use: exchanges, queues, bindings, consumers, gets and confirms; no transactions,
 * exclusive queues or bindings between exchanges.
 */
export async function serveAmqp(broker: BrokerCore, options: AmqpServerOptions = {}): Promise<AmqpServer> {
  const { port = 0, credentials = GUEST, clock = systemClock } = options;
  const sockets = new Set<AmqpSocket>();
  const server = createServer({ noDelay: true }, (socket) => {
    const one = new AmqpSocket(socket, broker, credentials);
    sockets.add(one);
    socket.on('close', () => sockets.delete(one));
    if (broker.isDown) one.destroy();
  });
  const bound = await listen(server, { host: '127.0.0.1', port });
  let cancel: () => void = () => undefined;
  const beat = (): void => {
    for (const socket of sockets) socket.heartbeat();
    cancel = clock.after((HEARTBEAT_S * 1000) / 4, beat, { background: true });
  };
  beat();
  return {
    url: `amqp://127.0.0.1:${bound}`,
    port: bound,
    close() {
      cancel();
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
