import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '@kubewright/kube';
import { at } from './at.ts';
import { issueCertificate, makeAuthority } from './certificates.ts';

/** A webhook's response, or the raw bytes that it sends instead. */
type Say = JsonObject | Raw;

type Raw = { readonly raw: string; readonly status?: number; readonly type?: string };

/** Handles one `AdmissionRequest`. Never settling keeps the caller waiting. */
export type Answering = (request: JsonObject) => Say | Promise<Say>;

/** A webhook server that records its requests. */
export type WebhookServer = {
  readonly port: number;
  /** As `clientConfig` has it. */
  readonly caBundle: string;
  /** The same with the server's own certificate in place of its authority's. */
  readonly ownBundle: string;
  /** Serves a webhook on its own path; its requests are in `asked`. */
  answer(answering: Answering): { readonly path: string; readonly asked: JsonObject[] };
  stop(): Promise<void>;
};

export const ALLOW: Answering = () => ({ allowed: true });

/** JSON patch operations as a response has them. */
export function patchOf(operations: Json): JsonObject {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}

/** @param names by which the server is known, in place of its addresses. */
export async function startWebhookServer(names?: readonly string[]): Promise<WebhookServer> {
  const authority = await makeAuthority('test webhooks');
  const { cert, key } = await issueCertificate(authority, {
    subject: [{ CN: ['webhooks'] }],
    usage: 'server',
    ...(names && { names }),
  });
  const paths = new Map<string, { readonly answering: Answering; readonly asked: JsonObject[] }>();
  const server = createServer({ cert, key }, (request, response) => {
    void serve(request, response);
  });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => {});
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
    const asked = at(review, 'request') as JsonObject;
    const { url = '' } = request;
    const found = paths.get(url.replace(/\?.*/, ''));
    found?.asked.push({ ...asked, url });
    say(response, review, (await found?.answering(asked)) ?? { raw: '', status: 404 });
  };
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(authority.cert).toString('base64'),
    ownBundle: Buffer.from(cert).toString('base64'),
    answer(answering) {
      const path = `/hook-${paths.size}`;
      const asked: JsonObject[] = [];
      paths.set(path, { answering, asked });
      return { path, asked };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function say(response: ServerResponse, review: JsonObject, said: Say): void {
  if (isRaw(said)) {
    const { raw, status = 200, type = 'application/json' } = said;
    response.writeHead(status, { 'content-type': type });
    response.end(raw);
    return;
  }
  const { apiVersion = '', kind = '' } = review;
  response.setHeader('content-type', 'application/json');
  const uid = at(review, 'request', 'uid') ?? '';
  response.end(JSON.stringify({ apiVersion, kind, response: { uid, ...said } }));
}

function isRaw(said: Say): said is Raw {
  return typeof said['raw'] === 'string';
}
