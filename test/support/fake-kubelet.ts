import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { TLSSocket } from 'node:tls';
import { issueCertificate, makeAuthority } from './certificates.ts';

/** A request as the kubelet received it. `by` is the common name in the client's certificate. */
type HeardByKubelet = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly by: string;
};

/** An HTTPS server in place of a kubelet, with scripted responses. */
export type FakeKubelet = {
  readonly port: number;
  readonly heard: readonly HeardByKubelet[];
  /** Sets the response to requests whose path has this prefix. */
  on(prefix: string, answer: (response: ServerResponse, heard: HeardByKubelet) => void): void;
  close(): Promise<void>;
};

/** An address of this machine that others could reach it by; API servers pass nothing on to the loopback. */
export const OUTER_ADDRESS: string | undefined = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(
    ({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'),
  )?.address;

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  return text;
}

export async function startFakeKubelet(): Promise<FakeKubelet> {
  const authority = await makeAuthority('fake kubelet');
  const pair = await issueCertificate(authority, { subject: [{ CN: ['fake-kubelet'] }], usage: 'server' });
  const heard: HeardByKubelet[] = [];
  const answers = new Map<string, (response: ServerResponse, heard: HeardByKubelet) => void>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers, socket } = request;
    const subject = (socket as TLSSocket).getPeerCertificate().subject as { CN?: string } | undefined;
    const one = { method, url, headers, body: await textOf(request), by: subject?.CN ?? '' };
    heard.push(one);
    const found = [...answers].filter(([prefix]) => url.startsWith(prefix)).at(-1);
    if (found === undefined) response.writeHead(404).end('404 page not found\n');
    else found[1](response, one);
  };
  const server = createServer(
    { ...pair, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      void answer(request, response);
    },
  );
  await new Promise<void>((resolve) => {
    server.listen(0, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    on: (prefix, say) => void answers.set(prefix, say),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
