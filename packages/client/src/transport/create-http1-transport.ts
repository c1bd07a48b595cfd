import * as http from 'node:http';
import * as https from 'node:https';
import type * as net from 'node:net';
import { type ApiRequest, type ApiResponse, errorText, onAbort, type Transport } from '@kubewright/kube';
import { abortedError, localError, transportClosed } from '../errors/api-error.ts';
import { dial, tlsOptions } from './dial.ts';
import { requestHeaders } from './request-headers.ts';
import { connectionFailed, ResponseBody } from './response-body.ts';
import type { TransportOptions } from './transport-options.ts';

/** Idle connections that are kept for the next call. */
const KEPT_CONNECTIONS = 32;

type Headers = http.OutgoingHttpHeaders;
type Agents = { readonly agent: http.Agent; readonly send: typeof https.request };

/**
 * Calls over HTTP/1.1 with connections kept alive: for servers and proxies that do not offer HTTP/2, and for plain
 * `http:`. Each call in flight, each watch too, takes a connection of its own.
 */
export function createHttp1Transport(options: TransportOptions): Transport {
  const headersOf = requestHeaders(options);
  const url = new URL(options.url);
  const agents: Agents[] = [];
  const closing = new AbortController();

  // The agent's TLS material is read once per agent; a connection failure makes the next call read it again.
  const agentFor = async (): Promise<Agents> => {
    const known = agents.at(-1);
    if (known !== undefined) return known;
    const kept = { keepAlive: true, maxFreeSockets: KEPT_CONNECTIONS };
    const plain = url.protocol === 'http:';
    const made = plain
      ? { agent: new http.Agent(kept), send: http.request }
      : { agent: new https.Agent({ ...kept, ...(await tlsOptions(options)) }), send: https.request };
    if (options.proxyUrl !== undefined)
      Object.assign(made.agent, { createConnection: dialer(options, closing.signal) });
    agents.push(made);
    return made;
  };

  return {
    async request(request) {
      const { path, headers } = http1Head(await headersOf(request), request.body);
      const agents = await agentFor();
      if (closing.signal.aborted) throw transportClosed();
      const target = { agent: agents.agent, method: request.method, path, headers };
      const address = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || undefined };
      const response = await send(request, () =>
        agents.send({ ...address, ...target } as https.RequestOptions),
      );
      if (response.status === 401) options.authorizer?.reset();
      return response;
    },
    async close() {
      closing.abort();
      for (const { agent } of agents.splice(0)) agent.destroy();
    },
  };
}

type Connected = (error: unknown, socket?: net.Socket) => void;

/** How an agent connects that does not do so itself. */
function dialer(options: TransportOptions, signal: AbortSignal): (options: unknown, done: Connected) => void {
  return (_options, done) => {
    dial(options, ['http/1.1'], signal).then(
      ({ socket }) => done(null, socket),
      (error: unknown) => done(error),
    );
  };
}

function send(request: ApiRequest, open: () => http.ClientRequest): Promise<ApiResponse> {
  const { signal, body } = request;
  if (signal?.aborted === true) return Promise.reject(abortedError(signal));
  return new Promise((resolve, reject) => {
    const call = openOrExplain(open);
    const cancel = (): void => void call.destroy();
    const stopListening = onAbort(signal, () => {
      cancel();
      reject(abortedError(signal));
    });
    call.on('response', (message) => {
      // The reader of the body gets the error; without a listener it would crash the process.
      message.on('error', () => undefined);
      message.on('close', stopListening);
      const source = { stream: message, wasCut: () => !message.complete, cancel, signal };
      resolve({
        status: message.statusCode ?? 0,
        headers: message.headers as ApiResponse['headers'],
        body: new ResponseBody(source),
      });
    });
    call.on('error', (error) => {
      stopListening();
      reject(connectionFailed(error));
    });
    call.end(body);
  });
}

/** The same headers without HTTP/2's pseudo-headers. */
function http1Head(
  { ':path': path, ':method': _method, ':scheme': _scheme, ':authority': _authority, ...headers }: Headers,
  body: ApiRequest['body'],
): { readonly path: string; readonly headers: http.OutgoingHttpHeaders } {
  // Without a content-length, Node frames a DELETE's body neither by length nor in chunks.
  if (body !== undefined) headers['content-length'] = Buffer.byteLength(body);
  return { path: String(path), headers };
}

function openOrExplain(open: () => http.ClientRequest): http.ClientRequest {
  try {
    return open();
  } catch (error) {
    throw localError('InvalidRequest', `the call cannot be sent: ${errorText(error)}`, error);
  }
}
