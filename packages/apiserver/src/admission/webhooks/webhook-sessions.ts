import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { onAbort } from '@kubewright/kube';
import { localError } from '../../api-server-error.ts';
import { tlsOptionsOf, type WebhookTarget } from './webhook-target.ts';

/** As in Go: the timeouts of connecting and of an idle connection. */
const [DIAL_MS, IDLE_MS] = [30_000, 90_000];

/** More places than a server ever has at once. What is forgotten is found out again, and ends when it is idle. */
const MOST_PLACES = 500;

/** A connection that many calls share. */
export type WebhookSession = {
  /** Whether anything has been sent on it before. */
  readonly reused: boolean;
  /** Throws when the connection takes no more. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream;
};

/** One HTTP/2 connection per target; targets without HTTP/2 are remembered. */
export class WebhookSessions {
  readonly #places = new Map<string, Promise<Session | undefined>>();
  readonly #closing = new AbortController();

  /** Undefined: the server speaks HTTP/1.1. Rejects where there is no server, or one with the wrong certificate. */
  find(place: WebhookTarget): Promise<WebhookSession | undefined> {
    const { host, port, authority, caBundle } = place;
    const key = `${host} ${port} ${authority} ${caBundle}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    if (this.#places.size >= MOST_PLACES) this.#places.clear();
    const forget = (): void => {
      if (this.#places.get(key) === made) this.#places.delete(key);
    };
    const made: Promise<Session | undefined> = dial(place, this.#closing.signal).then((socket) =>
      socket === undefined ? undefined : new Session(socket, place, forget),
    );
    made.catch(forget);
    this.#places.set(key, made);
    return made;
  }

  close(): void {
    this.#closing.abort();
    for (const place of this.#places.values()) place.then((session) => session?.destroy()).catch(() => {});
    this.#places.clear();
  }
}

/** A connection with HTTP/2; undefined where it is not spoken. */
function dial(place: WebhookTarget, closing: AbortSignal): Promise<TLSSocket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...tlsOptionsOf(place), ALPNProtocols: ['h2', 'http/1.1'] });
    const late = localError('TimedOut', `dial tcp ${place.host}:${place.port}: i/o timeout`);
    socket.setTimeout(DIAL_MS, () => socket.destroy(late));
    socket.once('error', reject);
    const forget = onAbort(closing, () => socket.destroy());
    socket.once('close', () => {
      forget();
      reject(localError('ConnectionReset', 'the connection ended'));
    });
    socket.once('secureConnect', () => {
      socket.setTimeout(0);
      if (socket.alpnProtocol === 'h2') resolve(socket);
      else {
        resolve(undefined);
        socket.destroy();
      }
    });
  });
}

class Session implements WebhookSession {
  reused = false;
  readonly #session: ClientHttp2Session;
  /** Calls under way: only they keep the process alive. */
  #busy = 0;

  constructor(socket: TLSSocket, { authority }: WebhookTarget, forget: () => void) {
    this.#session = connectHttp2(`https://${authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: 1 << 20 },
    });
    // What ends the connection ends its streams: their errors report it.
    this.#session.on('error', forget);
    this.#session.on('goaway', forget);
    this.#session.on('close', forget);
    this.#session.setTimeout(IDLE_MS, () => {
      forget();
      this.#session.close();
    });
    this.#session.unref();
  }

  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const stream = this.#session.request(headers);
    this.reused = true;
    if (this.#busy++ === 0) this.#session.ref();
    stream.once('close', () => {
      if (--this.#busy === 0 && !this.#session.destroyed) this.#session.unref();
    });
    return stream;
  }

  destroy(): void {
    this.#session.destroy();
  }
}
