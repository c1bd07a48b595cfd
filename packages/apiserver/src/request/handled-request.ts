import type { ApiRequest } from '@kubewright/kube';
import type { Reply } from './reply.ts';
import type { UserInfo } from './user-info.ts';

/**
 * Handles a request of an authenticated user: at once, unless it waits for a webhook or another server. Never rejects.
 * The same function serves sockets and the in-process transport.
 */
export type Handler = (request: HandledRequest, user: UserInfo) => Reply | Promise<Reply>;

/** A request, of which the body may be still to come. */
export type HandledRequest = Omit<ApiRequest, 'body'> & {
  /** Empty until it is received. */
  readonly body: Uint8Array;
  /**
   * Reads the body, which `sender` sends. Absent where it is there, or there is none. Rejects with an `ApiServerError` where it
   * is too large, does not come, or there are too many.
   */
  readonly receive?: ((sender: UserInfo) => Promise<void>) | undefined;
  /** The address that it came from. */
  readonly source?: string | undefined;
};
