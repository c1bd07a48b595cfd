import { detach } from './detach.ts';

/** A message of `node:http` or `node:http2`, as far as its failure is concerned. */
type Failing = { on(event: 'error', listener: (error: Error) => void): unknown };
type Response = Failing & { destroy(): unknown };

/**
 * A listener of `request`. A peer that disconnects or breaks the protocol ends its own request; a handler that fails breaks
 * off its response, and `failed` is given the error.
 */
export function requestListener<Q extends Failing, S extends Response>(
  handle: (request: Q, response: S) => unknown,
  failed: (error: unknown) => void,
): (request: Q, response: S) => void {
  return (request, response) => {
    request.on('error', nothing);
    response.on('error', nothing);
    detach(
      () => handle(request, response),
      (error) => {
        response.destroy();
        failed(error);
      },
    );
  };
}

function nothing(): void {
  // The handler sees that the peer has gone by the end of what it reads, or of what it writes.
}
