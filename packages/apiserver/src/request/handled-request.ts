import type { ApiRequest } from '@kubewright/kube';
import type { Reply } from './reply.ts';
import type { UserInfo } from './user-info.ts';

/**
 * Answers a request of a known user: at once, unless someone outside is asked about a write. Never rejects. The same
 * function serves sockets and the in-process transport.
 */
export type Handler = (request: HandledRequest, user: UserInfo) => Reply | Promise<Reply>;

/** A request whose body has been read. */
export type HandledRequest = Omit<ApiRequest, 'body'> & {
  readonly body: Uint8Array;
  /** The address that it came from. */
  readonly source?: string | undefined;
};
