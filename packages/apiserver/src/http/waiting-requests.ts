import type { UserInfo } from '../request/user-info.ts';
import type { SocketRequest } from './socket-request.ts';

/** Requests of a user that wait at once, as kube-apiserver's defaults allow: 400 that read and 200 that write. */
const MAX_WAITING = 600;
/** Whom kube-apiserver does not limit either. */
const EXEMPT = 'system:masters';

/**
 * The requests that wait for their body, a webhook or another server, by user. Most requests wait for nothing, and no watch does
 * once it has begun.
 */
export class WaitingRequests {
  readonly #byUser = new Map<string, number>();

  isFull({ username, groups }: UserInfo): boolean {
    return (this.#byUser.get(username) ?? 0) >= MAX_WAITING && !(groups ?? []).includes(EXEMPT);
  }

  /** It waits for `reply`, unless the client goes away before. */
  add({ username }: UserInfo, reply: Promise<unknown>, { exchange }: SocketRequest): void {
    this.#byUser.set(username, (this.#byUser.get(username) ?? 0) + 1);
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      const left = (this.#byUser.get(username) ?? 1) - 1;
      if (left === 0) this.#byUser.delete(username);
      else this.#byUser.set(username, left);
    };
    exchange.once('close', end);
    reply.then(end, end);
  }
}
