import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Json } from '@kubewright/kube';
import { issueCertificate, type KeyPair } from './certificates.ts';

export const EXTENSION_GROUP = 'notes.kubewright.test';
const VERSION = `/apis/${EXTENSION_GROUP}/v1`;

/** A request as the extension server received it, and whether it trusts the proxy that sent it. */
type Heard = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly trusted: boolean;
};

/** A small server of an API group, for an APIService. */
export type ExtensionServer = {
  readonly port: number;
  readonly heard: readonly Heard[];
  /** Sends a line to every watcher. */
  tell(event: Json): void;
  /** Watchers that are connected now. */
  readonly watchers: number;
  close(): Promise<void>;
};

const RESOURCES = [
  {
    name: 'notes',
    singularName: 'note',
    namespaced: true,
    kind: 'Note',
    verbs: ['create', 'get', 'list', 'watch'],
    shortNames: ['nt'],
  },
  { name: 'notes/status', singularName: '', namespaced: true, kind: 'Note', verbs: ['get'] },
];

function send(response: ServerResponse, status: number, value: Json): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-notes': 'yes' });
  response.end(JSON.stringify(value));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  return text;
}

function answer(response: ServerResponse, { method, url, body }: Heard): void {
  const path = url.split('?', 1)[0];
  const apiVersion = `${EXTENSION_GROUP}/v1`;
  if (path === VERSION) {
    const list = {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: apiVersion,
      resources: RESOURCES,
    };
    send(response, 200, list);
  } else if (method === 'POST') {
    send(response, 201, JSON.parse(body) as Json);
  } else if (path?.endsWith('/notes') === true) {
    send(response, 200, { kind: 'NoteList', apiVersion, metadata: {}, items: [] });
  } else {
    send(response, 418, {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: 'teapot',
      code: 418,
    });
  }
}

/** Starts it on loopback. `names`: those in its certificate; `proxyCa`: PEM of the CA of trusted proxies. */
export async function startExtensionServer(
  authority: KeyPair,
  names: readonly string[],
  proxyCa: string,
): Promise<ExtensionServer> {
  const subject = [{ CN: ['extension'] }];
  const certificate = await issueCertificate(authority, { subject, usage: 'server', names });
  const heard: Heard[] = [];
  const watchers = new Set<ServerResponse>();
  const server = createServer(
    { ...certificate, ca: proxyCa, requestCert: true, rejectUnauthorized: false },
    (request, response) =>
      void textOf(request).then((body) => {
        const { method = '', url = '', headers } = request;
        const trusted = (request.socket as TLSSocket).authorized;
        const got = { method, url, headers, body, trusted };
        heard.push(got);
        if (!url.includes('watch=')) answer(response, got);
        else {
          response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
          watchers.add(response);
          response.on('close', () => watchers.delete(response));
        }
      }),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    tell(event) {
      for (const watcher of watchers) watcher.write(`${JSON.stringify(event)}\n`);
    },
    get watchers() {
      return watchers.size;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
