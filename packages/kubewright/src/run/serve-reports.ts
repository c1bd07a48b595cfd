import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { getOwn, isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '@kubewright/kube';
import { listen, requestListener } from '@kubewright/kube/serving';
import type { BindAddress } from '../command-options.ts';
import { KubewrightError } from '../kubewright-error.ts';
import { createOpenDrifts, type OpenDrifts } from './open-drifts.ts';

/** A backend of DriftReports, as the original's: it prints them, and keeps the drift that is open. */
export type ReportServer = { readonly port: number; close(): Promise<void> };

type Answer = { readonly code: number; readonly body?: Json };

const MIB = 1024 * 1024;
/** Of one report. */
const MOST_BYTES = 4 * MIB;
const MOST_OPEN = { drifts: 1000, bytes: 64 * MIB };
const DRIFTS = '/api/v1/drifts';
const NO_REPORT: Answer = { code: 400, body: { acknowledged: false, error: 'not a DriftReport' } };

/**
 * Serves `POST /webhook`, which calls `print` with each report, `GET /api/v1/drifts`, `GET` and `DELETE
 * /api/v1/drifts/ID`, and `GET /healthz`. In memory.
 */
export async function serveReports(
  { host, port }: BindAddress,
  print: (report: JsonObject) => void,
  now: () => Date,
): Promise<ReportServer> {
  const drifts = createOpenDrifts(MOST_OPEN);
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const result = await answer(request, { drifts, print, now }).catch(() => NO_REPORT);
    send(response, result);
  };
  const server = createServer(requestListener(respond, () => undefined));
  return {
    port: await listen(server, { host, port }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Store = {
  readonly drifts: OpenDrifts;
  readonly print: (report: JsonObject) => void;
  readonly now: () => Date;
};

async function answer(request: IncomingMessage, store: Store): Promise<Answer> {
  const { pathname } = new URL(request.url ?? '/', 'http://backend');
  const { method = 'GET' } = request;
  const { drifts, now } = store;
  if (method === 'POST' && pathname === '/webhook') return receive(await textOf(request), store);
  if (method === 'GET' && pathname === '/healthz')
    return { code: 200, body: { status: 'ok', driftCount: drifts.size, time: now().toISOString() } };
  if (method === 'GET' && pathname === DRIFTS)
    return { code: 200, body: { items: drifts.all(), count: drifts.size } };
  return pathname.startsWith(`${DRIFTS}/`)
    ? answerOne(method, decodeURIComponent(pathname.slice(DRIFTS.length + 1)), drifts)
    : { code: 404, body: { error: 'not found' } };
}

function answerOne(method: string, id: string, drifts: Store['drifts']): Answer {
  const found = drifts.get(id);
  if (found === undefined) return { code: 404, body: { error: `no drift ${id}` } };
  if (method === 'GET') return { code: 200, body: found };
  if (method !== 'DELETE') return { code: 405, body: { error: 'method not allowed' } };
  drifts.delete(id);
  return { code: 204 };
}

function receive(body: string, { drifts, print, now }: Store): Answer {
  const report = parseJson(body);
  const spec = isJsonObject(report) ? getOwn(report, 'spec') : undefined;
  const id = isJsonObject(spec) ? getOwn(spec, 'id') : undefined;
  if (!isJsonObject(report) || !isJsonObject(spec) || typeof id !== 'string' || id === '')
    return { code: 400, body: { acknowledged: false, error: 'not a DriftReport: it has no spec.id' } };
  print(report);
  const isOver = getOwn(spec, 'phase') === 'Resolved';
  if (isOver) drifts.delete(id);
  else drifts.set(id, { report, receivedAt: now().toISOString() }, Buffer.byteLength(body));
  return { code: 200, body: { acknowledged: true } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MOST_BYTES) request.destroy(new KubewrightError('Usage', 'the report is too large'));
  });
  return text(request);
}

function send(response: ServerResponse, { code, body }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(code, body === undefined ? {} : { 'content-type': 'application/json' });
  response.end(body === undefined ? '' : stringifyJson(body));
}
