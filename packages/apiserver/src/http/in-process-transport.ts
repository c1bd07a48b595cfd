import { type ApiRequest, onAbort, type Transport } from '@kubewright/kube';
import { authenticatedUser, type UserInfo } from '../request/user-info.ts';
import { localError, tooLarge } from '../api-server-error.ts';
import { isCut, statusReply } from '../request/reply.ts';
import type { Handler } from '../request/handled-request.ts';
import { BODY_LIMIT } from './serve.ts';

const EMPTY = new Uint8Array(0);

/** Calls the handler with no socket between. The response is what a socket would carry. */
export function inProcessTransport(handler: Handler, caller: UserInfo): Transport {
  const user = authenticatedUser(caller);
  const gone = new AbortController();
  return {
    async request(request) {
      if (gone.signal.aborted) throw localError('InvalidState', 'the transport is closed');
      request.signal?.throwIfAborted();
      const body = bytesOf(request.body);
      let joined: AbortSignal | undefined;
      // Made when it is read: most requests wait for nothing, and cost less than a signal of two.
      const signal = (): AbortSignal =>
        (joined ??=
          request.signal === undefined ? gone.signal : AbortSignal.any([request.signal, gone.signal]));
      const handled = {
        ...request,
        body,
        get signal() {
          return signal();
        },
      };
      const promise =
        body.length > BODY_LIMIT ? statusReply(tooLarge(BODY_LIMIT).status) : handler(handled, user);
      const reply = promise instanceof Promise ? await untilAborted(promise, signal()) : promise;
      if (isCut(reply)) throw localError('ConnectionReset', 'the connection was cut');
      const chunks = request.method === 'HEAD' ? [] : reply.body;
      return { status: reply.status, headers: reply.headers, body: iterate(chunks) };
    },
    async close() {
      gone.abort();
    },
  };
}

/** Rejects as soon as the caller aborts. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason as Error));
    promise.then(resolve, reject).finally(forget);
  });
}

function bytesOf(body: ApiRequest['body']): Uint8Array {
  if (body === undefined) return EMPTY;
  return typeof body === 'string' ? Buffer.from(body) : body;
}

async function* iterate(
  chunks: readonly Uint8Array[] | AsyncIterableIterator<Uint8Array>,
): AsyncIterableIterator<Uint8Array> {
  yield* chunks;
}
