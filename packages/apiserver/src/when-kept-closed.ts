import type { ClientRequest } from 'node:http';

const RESETS = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Returns whether an error of this request is that the server had closed a kept connection just as it was used again, before any
 * response. The same may be sent once more, on a new one: a server that was idle has closed all others, too. To be called with
 * the request that has not been sent yet, because a request reports also what happens after its response has begun.
 */
export function whenKeptClosed(sent: ClientRequest): (error: Error) => boolean {
  let hasBegun = false;
  sent.once('response', () => {
    hasBegun = true;
  });
  return (error) => sent.reusedSocket && !hasBegun && 'code' in error && RESETS.has(String(error.code));
}
