import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { errorText, parseJson } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { DIGEST_HEADER, namedBy } from './agent-paths.ts';
import { CheckpointJobs, type NodeTools, verified } from './checkpoint-jobs.ts';
import type { AgentAddress } from './http-node-agents.ts';
import type { CheckpointOrder } from './node-agents.ts';

export type AgentOptions = {
  readonly tools: NodeTools;
  /** The token that callers need, and where the agents of other nodes are. */
  readonly agents: AgentAddress;
  readonly host: string;
  readonly port: number;
};

export type RunningAgent = { readonly port: number; close(): Promise<void> };

/** An order is small. */
const MOST_BYTES = 64 * 1024;

type Answer = { readonly status: number; readonly body?: unknown };

/**
 * The agent of a node: it has the kubelet checkpoint containers, and moves the archives to other nodes. A caller names a
 * container or an image, never a path. Without the token the response is 401.
 */
export async function serveAgent({ tools, agents, host, port }: AgentOptions): Promise<RunningAgent> {
  const jobs = new CheckpointJobs(tools, agents);
  const server = createServer((request, response) => {
    void answer(request).then(
      (given) => send(response, given),
      (error: unknown) => send(response, failure(error)),
    );
  });
  const answer = (request: IncomingMessage): Promise<Answer> =>
    isAllowed(request, agents.token)
      ? route(request, jobs, tools)
      : Promise.resolve({ status: 401, body: 'a token is needed' });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** In constant time. */
function isAllowed({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return token !== '' && timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
}

async function route(request: IncomingMessage, jobs: CheckpointJobs, tools: NodeTools): Promise<Answer> {
  const { method = '', url = '' } = request;
  const found = namedBy(url);
  switch (`${method} ${found?.kind ?? ''}`) {
    case 'PUT checkpoints':
      jobs.begin(await orderIn(request, found?.name ?? ''));
      return { status: 202 };
    case 'GET checkpoints':
      return { status: jobs.state(found?.name ?? '') ? 200 : 404, body: jobs.state(found?.name ?? '') };
    case 'DELETE checkpoints':
      await jobs.remove(found?.name ?? '');
      return { status: 204 };
    case 'PUT images': {
      const digest = request.headers[DIGEST_HEADER];
      await tools.load(found?.name ?? '', verified(request, typeof digest === 'string' ? digest : ''));
      return { status: 201 };
    }
    case 'DELETE images':
      await tools.removeImage(found?.name ?? '');
      return { status: 204 };
    default:
      return { status: found === undefined ? 404 : 405 };
  }
}

async function orderIn(request: IncomingMessage, id: string): Promise<CheckpointOrder> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new OperatorError('Usage', 'the order is too long');
    chunks.push(chunk);
  }
  const order = parseJson(Buffer.concat(chunks).toString()) as Partial<CheckpointOrder>;
  const texts = ['namespace', 'pod', 'container', 'node', 'targetNode', 'image', 'transfer'] as const;
  const wrong = texts.find((field) => typeof order[field] !== 'string' || !NAME.test(order[field]));
  if (wrong !== undefined) throw new OperatorError('Usage', `the order has no valid ${wrong}`);
  return { ...(order as CheckpointOrder), id };
}

/** Of objects and images: no `..`, nothing that a path or a command line would mean otherwise. */
const NAME = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._:/@-]*$/;

function failure(error: unknown): Answer {
  const isUsage = error instanceof OperatorError && !error.retryable;
  return { status: isUsage ? 400 : 500, body: errorText(error) };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
}
