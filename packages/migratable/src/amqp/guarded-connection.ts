import type { Socket } from 'node:net';
import { Connection, type ConnectionOptions } from 'rabbitmq-client';
import { guardSocket } from '../guard-socket.ts';
import { FrameGuard, type FrameLimits } from './frame-guard.ts';

/** `HOST:PORT`, for errors. */
export type Guarded = FrameLimits & {
  readonly address: string;
  /** An attempt to connect, or a connection, failed. */
  readonly onLost: (error: Error) => void;
};

/** Where the client makes its sockets: no part of its interface, so its version is pinned, and tests rely on it. */
declare module 'rabbitmq-client/lib/Connection.js' {
  interface Connection {
    _connect(): Socket;
  }
}

/**
 * The client asks its socket for as many bytes as a server announces, and decodes what comes, in part where nobody can
 * catch what is thrown. Here it gets only what {@link FrameGuard} lets pass; else the connection ends with an error.
 */
export function guardedConnection(
  options: ConnectionOptions,
  { address, onLost, ...limits }: Guarded,
): GuardedConnection {
  /** Its constructor connects, so it can have no fields of its own. */
  class Client extends Connection {
    override _connect(): Socket {
      const socket = super._connect();
      socket.on('error', onLost);
      guardSocket(socket, address, new FrameGuard(limits));
      current = socket;
      return socket;
    }
  }
  let current: Socket | undefined;
  const connection = new Client(options);
  return { connection, reset: (error) => void current?.destroy(error) };
}

export type GuardedConnection = {
  readonly connection: Connection;
  /** Ends the socket; the client connects again. */
  readonly reset: (error: Error) => void;
};
