import { systemClock } from '@kubewright/kube';
import {
  BodyGate,
  type BodyLimits,
  type BodyStream,
  detach,
  type RejectedBody,
} from '@kubewright/kube/serving';
import type { Authenticator } from '../auth/authenticator.ts';
import {
  type ApiServerError,
  failure,
  tooLarge,
  tooManyRequests,
  unauthorized,
} from '../api-server-error.ts';
import { type Reply, statusReply } from '../request/reply.ts';
import type { Handler } from '../request/handled-request.ts';
import type { SocketRequest } from './socket-request.ts';
import { WaitingRequests } from './waiting-requests.ts';

/** The largest body that is read. */
export const BODY_LIMIT: number = 3 * 1024 * 1024;

const BODY_LIMITS: BodyLimits = {
  largest: BODY_LIMIT,
  small: 64 * 1024,
  underWay: 1024,
  turns: 4,
  readMs: 30_000,
  wantedMs: 2000,
  waitMs: 30_000,
};

/**
 * Handles requests from sockets, from their headers on: the body of one that is rejected by its headers is not read.
 */
export type Serve = {
  begin(request: SocketRequest): Reply | Promise<Reply>;
  /** Makes the body of `request`, which comes as `stream`, be read when it is wanted. */
  expectBody(stream: BodyStream, request: SocketRequest, announced: number | undefined): void;
  /** Is given what no response says: an error of this server. */
  failed(error: unknown): void;
};

const REJECTIONS: Readonly<Record<RejectedBody, () => ApiServerError>> = {
  'too large': () => tooLarge(BODY_LIMIT),
  'too late': () => failure(408, 'Timeout', 'the body of the request did not come in time'),
  'too many': () => tooManyRequests('too many requests with large bodies, please try again later'),
};

export function createServe(
  handler: Handler,
  authenticate: Authenticator,
  failed: (error: unknown) => void,
): Serve {
  const bodies = new BodyGate(BODY_LIMITS, systemClock);
  const waiting = new WaitingRequests();
  return {
    failed,
    expectBody(stream, request, announced) {
      request.receive = ({ username }) =>
        new Promise((resolve, reject) => {
          const done = (body: Uint8Array | RejectedBody): void => {
            if (typeof body === 'string') {
              stream.pause();
              return reject(REJECTIONS[body]());
            }
            request.body = body;
            request.isReceived = true;
            return resolve();
          };
          bodies.read(stream, { peer: username, announced, exchange: request.exchange, done });
        });
    },
    begin(request) {
      const found = authenticate(request);
      if (found === undefined || !('user' in found)) return statusReply(unauthorized().status);
      const { user } = found;
      if (waiting.isFull(user)) return statusReply(tooManyRequests(TOO_MANY).status);
      const reply = handler(request, user);
      if (reply instanceof Promise) waiting.add(user, reply, request);
      return reply;
    },
  };
}

const TOO_MANY = 'Too many requests, please try again later.';

export function lengthIn(headers: { readonly 'content-length'?: string | undefined }): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Where the bytes of a response go: a stream of HTTP/2, a response of HTTP/1.1. */
export type Sink = {
  readonly write: (chunk: Uint8Array, written?: () => void) => boolean;
  readonly once: (event: 'drain' | 'close', listener: () => void) => unknown;
  readonly end: (chunk?: Uint8Array) => unknown;
  readonly destroy: (error: Error) => unknown;
  readonly destroyed: boolean;
};

/** Chunks as they come, or as they are made. */
type Chunks = AsyncIterator<Uint8Array, unknown> | Iterator<Uint8Array, unknown>;

/** Writes a stream of chunks, no faster than the client reads. A body that throws breaks the response off. */
export function pump(body: Chunks, sink: Sink): void {
  detach(
    () => passOn(body, sink),
    (error) => {
      // What came before is still to arrive.
      if (!sink.destroyed) sink.write(new Uint8Array(0), () => sink.destroy(error as Error));
    },
  );
}

async function passOn(body: Chunks, sink: Sink): Promise<void> {
  let closed = false;
  let wake = (): void => {};
  sink.once('close', () => {
    closed = true;
    wake();
    detach(
      () => body.return?.(),
      () => undefined,
    );
  });
  for (;;) {
    const { done, value } = await body.next();
    if (done === true || closed || sink.destroyed) break;
    if (sink.write(value)) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
      sink.once('drain', resolve);
      if (closed) resolve();
    });
  }
  if (!closed && !sink.destroyed) sink.end();
}

export function isStream(body: Reply['body']): body is AsyncIterableIterator<Uint8Array> {
  return !Array.isArray(body);
}

/** Responses beyond this many bytes are written piece by piece, as the client reads: nothing of that size is copied. */
const LARGE = 128 * 1024;
const PIECE = 64 * 1024;

export function sizeOf(body: readonly Uint8Array[]): number {
  return body.reduce((size, chunk) => size + chunk.length, 0);
}

/** Writes a body that is all there; its length has been announced. */
export function writeWhole(body: readonly Uint8Array[], size: number, sink: Sink): void {
  if (size > LARGE) pump(pieces(body), sink);
  else sink.end(body.length === 1 ? body[0] : Buffer.concat(body, size));
}

/** A large list is thousands of small chunks: they go out some at a time. */
function* pieces(body: readonly Uint8Array[]): Generator<Uint8Array, undefined> {
  let piece: Uint8Array[] = [];
  let size = 0;
  for (const chunk of body) {
    piece.push(chunk);
    size += chunk.length;
    if (size < PIECE) continue;
    yield Buffer.concat(piece, size);
    piece = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(piece, size);
}
