import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { listen, requestListener } from '@kubewright/kube/serving';
import { createPrometheusApi, type PrometheusApi } from './prometheus-api.ts';

export type ServedPrometheus = AsyncDisposable & {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  close(): Promise<void>;
};

/** Serves {@link createPrometheusApi} over HTTP on loopback, at a free port. */
export async function servePrometheus(transport: Transport): Promise<ServedPrometheus> {
  const api = createPrometheusApi({ transport, clock: systemClock });
  const server = createServer(
    requestListener(
      (request: IncomingMessage, response: ServerResponse) => respond(api, request, response),
      () => undefined,
    ),
  );
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  const close = (): Promise<void> => closed(server);
  return {
    url: `http://127.0.0.1:${port}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function respond(
  api: PrometheusApi,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, headers, body } = await api(await pathOf(request));
    response.writeHead(status, headers as Record<string, string>);
    await pipeline(body, response);
  } catch {
    // The API server may be gone already.
    if (!response.headersSent) response.writeHead(503);
    response.end();
  }
}

/** Longer forms are not read to their end: no query is as long. */
const LONGEST = 256 * 1024;

/** With the parameters, which the body of a POST has. */
async function pathOf(request: IncomingMessage): Promise<string> {
  const { url = '/', method } = request;
  if (method !== 'POST') return url;
  let form = '';
  for await (const chunk of request as AsyncIterable<Buffer>) {
    form += chunk.toString();
    if (form.length > LONGEST) break;
  }
  return `${url}?${form}`;
}
