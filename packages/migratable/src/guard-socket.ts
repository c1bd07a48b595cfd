import type { Socket } from 'node:net';
import { MigratableError } from './migratable-error.ts';

/** Lets pass what a client may read. Throws, with a text that has the server as its subject, at whatever it may not. */
export type Guard = { pass(chunk: Buffer): Buffer };

/** Puts a guard between a socket, with TLS or without, and its readers. At what does not pass, the socket ends with `Unavailable`. */
export function guardSocket(socket: Socket, address: string, guard: Guard): void {
  const push = socket.push.bind(socket);
  // Node.js pushes whatever arrives, decrypted.
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) return push(chunk, encoding);
    try {
      const passed = guard.pass(chunk);
      return passed.length === 0 || push(passed);
    } catch (error) {
      const text = error instanceof Error ? error.message : '';
      socket.destroy(new MigratableError('Unavailable', `${address} ${text}`, { cause: error }));
      return false;
    }
  };
}
