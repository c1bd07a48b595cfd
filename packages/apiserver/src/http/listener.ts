import type { KeyPair } from '../certificates/authority.ts';
import { localError } from '../api-server-error.ts';
import { makeCertificates, type ServingCertificates } from './serving-certificates.ts';
import { type Listening, listenHttps } from './listen-https.ts';
import type { Serve } from './serve.ts';

export type ListenOptions = {
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** Address to bind; default 127.0.0.1. */
  readonly host?: string;
  /** PEM of the serving certificate and its key, for the names that clients use. Default: one of an authority of its own. */
  readonly certificate?: KeyPair;
};

/** Where a server is to be reached. `caCert` is PEM. */
export type ServerAddress = { readonly url: string; readonly caCert: string };

/** The HTTPS listener, open or closed. */
export type Listener = {
  /** Throws while it is closed. */
  readonly address: ServerAddress;
  /** `host:port`; while it is closed the name that a cluster's own API has everywhere. */
  readonly host: string;
  open(serve: Serve, options?: ListenOptions): Promise<ServerAddress>;
  close(): Promise<void>;
};

export type ListenerOptions = {
  readonly now: () => Date;
  /** PEM of the client CA. */
  readonly clientCa: () => Promise<string>;
};

/** The CA of a host stays the same when it is opened again. */
export function createListener({ now, clientCa }: ListenerOptions): Listener {
  const certificates = new Map<string, ServingCertificates>();
  const ownFor = async (host: string): Promise<ServingCertificates> => {
    const made = certificates.get(host) ?? (await makeCertificates(now(), [host]));
    certificates.set(host, made);
    return made;
  };
  let open: (Listening & ServerAddress & { readonly host: string }) | undefined;
  return {
    get address() {
      if (open === undefined) throw localError('InvalidState', 'the server is not listening');
      return { url: open.url, caCert: open.caCert };
    },
    get host() {
      return open?.host ?? 'kubernetes.default.svc:443';
    },
    async open(serve, { port = 0, host = '127.0.0.1', certificate } = {}) {
      if (open !== undefined) throw localError('InvalidState', `already listening on ${open.url}`);
      const made = certificate === undefined ? await ownFor(host) : { ca: certificate.cert, ...certificate };
      const listening = await listenHttps(serve, { ...made, clientCa: await clientCa() }, { host, port });
      const place = `${host.includes(':') ? `[${host}]` : host}:${listening.port}`;
      open = { ...listening, host: place, url: `https://${place}`, caCert: made.ca };
      return { url: open.url, caCert: open.caCert };
    },
    async close() {
      await open?.close();
      open = undefined;
    },
  };
}
