import type { ApiRequest } from '@kubewright/kube';
import type { Reply } from './reply.ts';
import type { UserInfo } from './user-info.ts';

/**
 * Handles a request of an authenticated user: at once, unless it waits for a webhook or another server. Never rejects.
 * The same function serves sockets and the in-process transport.
 */
export type Handler = (request: HandledRequest, user: UserInfo) => Reply | Promise<Reply>;

/** A request whose body has been read. */
export type HandledRequest = Omit<ApiRequest, 'body'> & {
  readonly body: Uint8Array;
  /** The address that it came from. */
  readonly source?: string | undefined;
};
