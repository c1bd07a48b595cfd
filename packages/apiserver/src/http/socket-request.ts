import type { ApiRequest } from '@kubewright/kube';
import type { PeerCertificate } from '../certificates/peer-certificate.ts';
import { localError } from '../api-server-error.ts';
import type { HandledRequest } from '../request/handled-request.ts';

/** What a request came over, as far as its end is concerned. */
type Connection = {
  readonly once: (event: 'close', listener: () => void) => unknown;
  readonly destroyed: boolean;
  readonly socket?: { readonly remoteAddress?: string | undefined } | null | undefined;
  readonly session?: { readonly socket: { readonly remoteAddress?: string | undefined } } | undefined;
};

/** A request from a socket. Its signal is made when first read: few requests outlive their response. */
export class SocketRequest implements HandledRequest {
  readonly method: ApiRequest['method'];
  readonly path: string;
  readonly headers: ApiRequest['headers'];
  readonly certificate: PeerCertificate | undefined;
  body: Uint8Array = EMPTY;
  receive: HandledRequest['receive'];
  /** All of the body has come. */
  isReceived = false;
  readonly #connection: Connection;
  #signal: AbortSignal | undefined;

  constructor(
    { method, path, headers }: Pick<ApiRequest, 'method' | 'path' | 'headers'>,
    connection: Connection,
    certificate: PeerCertificate | undefined,
  ) {
    this.method = method;
    this.path = path;
    this.headers = headers;
    this.certificate = certificate;
    this.#connection = connection;
  }

  get source(): string | undefined {
    return (this.#connection.socket ?? this.#connection.session?.socket)?.remoteAddress;
  }

  /** Its `close` says that the request is over: the response is sent, or the client has gone. */
  get exchange(): Pick<Connection, 'once'> {
    return this.#connection;
  }

  get signal(): AbortSignal {
    if (this.#signal !== undefined) return this.#signal;
    const gone = new AbortController();
    if (this.#connection.destroyed) gone.abort(GONE);
    this.#connection.once('close', () => gone.abort(GONE));
    this.#signal = gone.signal;
    return gone.signal;
  }
}

const EMPTY = new Uint8Array(0);

/** Made once: an exception of its own for each request would cost more than most requests. */
const GONE = localError('Canceled', 'the client has disconnected');
