import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { makeCertificates } from '@kubewright/apiserver';
import { ApiError, type Client, type Clock, systemClock } from '@kubewright/client';
import { type ApiRequest, type ApiResponse, corev1 } from '@kubewright/kube';
import { listen, requestListener } from '@kubewright/kube/serving';
import type { KubeletApi } from './kubelet-api.ts';
import type { KubeletRequest } from './kubelet-request.ts';
import { type KubeletDenial, authorizeRequest, type ShownCertificate } from './authorize-request.ts';

export type KubeletServerOptions = {
  readonly signal: AbortSignal;
  /** Default 127.0.0.1. API servers proxy nothing but log requests to that: use an address beside the loopback. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  /** By which the default certificate is dated. */
  readonly clock?: Clock;
  /** PEM. Default: a self-signed one. */
  readonly certificate?: { readonly cert: string; readonly key: string };
};

/** One server for all kubelets of this process. */
export type KubeletServer = {
  /** The value for `NodeOptions.kubeletPort`. */
  readonly port: number;
  /** PEM of the CA that signed its certificate; empty for a given one. */
  readonly caCert: string;
  /**
   * Handles requests from now on; the API server authenticates and authorizes them. `clientCa` signs client
   * certificates; default: what the API server publishes in `kube-system/extension-apiserver-authentication`.
   */
  serve(api: KubeletApi, how: { readonly client: Client; readonly clientCa?: string }): Promise<void>;
  /** Resolves when the signal has closed it. */
  readonly ended: Promise<void>;
};

/** Opens the port at once, so that nodes can report it when they register. */
export async function openKubeletServer(options: KubeletServerOptions): Promise<KubeletServer> {
  const { signal, host = '127.0.0.1', port = 0, certificate, clock = systemClock } = options;
  const made = certificate ?? (await makeCertificates(new Date(clock.now()), [host]));
  let handle: Handler = async () => ({ status: 503, text: 'kubelet is starting' });
  const server = createServer(
    { cert: made.cert, key: made.key, requestCert: true, rejectUnauthorized: false },
    requestListener(
      (message: IncomingMessage, response: ServerResponse) => respond(handle, message, response),
      () => undefined,
    ),
  );
  return {
    port: await listen(server, { host, port }),
    caCert: 'ca' in made ? String(made.ca) : '',
    async serve(api, { client, clientCa }) {
      const ca = clientCa ?? (await publishedCa(client));
      if (ca !== undefined) server.setSecureContext({ cert: made.cert, key: made.key, ca });
      handle = (request, shown) => responseTo(api, client, request, shown);
    },
    ended: closed(server, signal),
  };
}

type Handler = (
  request: KubeletRequest,
  shown: ShownCertificate,
) => Promise<ApiResponse | KubeletDenial | 'unreachable'>;

async function responseTo(
  api: KubeletApi,
  client: Client,
  request: KubeletRequest,
  shown: ShownCertificate,
): Promise<ApiResponse | KubeletDenial | 'unreachable'> {
  const node = api.nodeFor(request);
  // An anonymous client learns nothing, not even that the request names no node.
  const denial = await authorizeRequest(client, request, node ?? '', shown);
  if (denial !== undefined) return denial;
  if (node === undefined) return { status: 404, text: 'no node of this process is meant' };
  return await api.handle(request, node).catch(() => 'unreachable' as const);
}

async function publishedCa(client: Client): Promise<string | undefined> {
  try {
    const key = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
    return (await client.get(corev1.configmaps, key)).data?.['client-ca-file'];
  } catch (error) {
    // Then tokens are the only way.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function respond(handle: Handler, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  response.on('error', () => gone.abort());
  message.resume();
  const { method = 'GET', url: path = '/', headers } = message;
  const request = { method, path, headers: headers as ApiRequest['headers'], signal: gone.signal };
  try {
    const found = await handle(request, certificateOf(message.socket as TLSSocket));
    if (found === 'unreachable') message.socket.destroy();
    else if ('text' in found)
      response.writeHead(found.status, { 'content-type': 'text/plain' }).end(found.text);
    else await send(response, found);
  } catch {
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end('internal error');
  }
}

async function send(response: ServerResponse, { status, headers, body }: ApiResponse): Promise<void> {
  response.writeHead(status, headers as Record<string, string | string[]>);
  // A log that is followed may be silent for hours: its reader learns now that it is there.
  response.flushHeaders();
  for await (const chunk of body) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

function certificateOf(socket: TLSSocket): ShownCertificate {
  if (!socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  const { CN, O } = (subject ?? {}) as { readonly CN?: string | string[]; readonly O?: string | string[] };
  const username = [CN ?? []].flat().at(-1) ?? '';
  if (username === '') return undefined;
  return { username, groups: [...[O ?? []].flat(), 'system:authenticated'] };
}

async function closed(server: Server, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  const end = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await end;
}
