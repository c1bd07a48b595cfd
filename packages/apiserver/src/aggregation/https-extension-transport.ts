import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { ApiResponse } from '@kubewright/kube';
import type { ExtensionCall, ExtensionTransport } from './extension-transport.ts';

/** What is about the connection and not about the request. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** HTTPS on connections that are kept. */
export function httpsExtensionTransport(): ExtensionTransport {
  let agent = new Agent({ keepAlive: true });
  return {
    call: (call) => send(agent, call),
    close() {
      agent.destroy();
      agent = new Agent({ keepAlive: true });
    },
  };
}

function send(agent: Agent, call: ExtensionCall): Promise<ApiResponse> {
  const { address, body, caBundle, credentials, insecure, signal } = call;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        method: call.method,
        path: call.path,
        ...address,
        servername: call.serverName,
        headers: headersOf(call),
        rejectUnauthorized: !insecure,
        ...credentials,
        ...(caBundle === '' ? {} : { ca: caBundle }),
        ...(signal === undefined ? {} : { signal }),
      },
      (response) =>
        resolve({
          status: response.statusCode ?? 0,
          headers: passedOn(response.headers),
          body: chunks(response),
        }),
    );
    sent.on('error', (error) => reject(inWords(error, address)));
    sent.end(body);
  });
}

function headersOf({ headers, address, body }: ExtensionCall): Record<string, string | string[]> {
  const host = `${address.host}:${address.port}`;
  const length = body.length === 0 ? {} : { 'content-length': String(body.length) };
  const { 'content-length': _, ...rest } = passedOn(headers);
  return { ...(rest as Record<string, string | string[]>), host, ...length };
}

/** Headers that are for the other end: not of the connection, and not HTTP/2's own. */
function passedOn(
  headers: IncomingMessage['headers'] | ExtensionCall['headers'],
): Record<string, string | readonly string[]> {
  const entries = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !OF_CONNECTION.has(name) && !name.startsWith(':'),
  );
  return Object.fromEntries(entries) as Record<string, string | readonly string[]>;
}

/** Ends where the connection breaks: the answer's beginning has been passed on by then. */
async function* chunks(response: IncomingMessage): AsyncIterableIterator<Uint8Array> {
  try {
    yield* response as AsyncIterable<Uint8Array>;
  } catch {
    // The client sees an answer that is not whole, as it would without us in between.
  } finally {
    response.destroy();
  }
}

function inWords(error: Error, { host, port }: ExtensionCall['address']): Error {
  if (!('code' in error) || error.code !== 'ECONNREFUSED') return error;
  return new Error(`dial tcp ${host}:${port}: connect: connection refused`, { cause: error });
}
