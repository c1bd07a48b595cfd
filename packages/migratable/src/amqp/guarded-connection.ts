import type { Socket } from 'node:net';
import { Connection, type ConnectionOptions } from 'rabbitmq-client';
import { MigratableError } from '../migratable-error.ts';
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
export function guardedConnection(options: ConnectionOptions, guarded: Guarded): GuardedConnection {
  /** Its constructor connects, so it can have no fields of its own. */
  class Client extends Connection {
    override _connect(): Socket {
      const socket = super._connect();
      guardSocket(socket, guarded);
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

function guardSocket(socket: Socket, { address, onLost, ...limits }: Guarded): void {
  const guard = new FrameGuard(limits);
  const push = socket.push.bind(socket);
  socket.on('error', onLost);
  // Node.js pushes whatever arrives, decrypted.
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) return push(chunk, encoding);
    try {
      const frames = guard.pass(chunk);
      return frames.length === 0 || push(frames);
    } catch (error) {
      const text = error instanceof Error ? error.message : '';
      socket.destroy(new MigratableError('Unavailable', `${address} ${text}`, { cause: error }));
      return false;
    }
  };
}
