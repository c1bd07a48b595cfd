import type { ClientRequest } from 'node:http';

const RESETS = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Whether the server had closed a kept connection just as it was used again. The same may be sent once more, on a new one: a server
 * that was idle has closed all others, too.
 */
export function isKeptClosed({ reusedSocket }: ClientRequest, error: Error): boolean {
  return reusedSocket && 'code' in error && RESETS.has(String(error.code));
}
