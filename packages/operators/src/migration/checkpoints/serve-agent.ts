import { createHash, timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as TlsServer, TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '@kubewright/client';
import { defined, errorText } from '@kubewright/kube';
import { listen, requestListener } from '@kubewright/kube/serving';
import { OperatorError } from '../../operator-error.ts';
import { DIGEST_HEADER, imageInFacts, namedBy } from './agent-paths.ts';
import { verified } from './verified.ts';
import { CheckpointJobs, type NodeTools } from './checkpoint-jobs.ts';
import type { AgentAddress } from './call-agent.ts';
import { isCheckpointImage, isImageByDigest, isOwnImage, orderIn } from './order-in.ts';

export type AgentOptions = {
  readonly tools: NodeTools;
  /** The token that callers need, and where the agents of other nodes are. */
  readonly agents: AgentAddress;
  readonly host: string;
  readonly port: number;
  /** Absent: plain HTTP, which is for the loopback only. */
  readonly tls?: AgentTls;
  /** Is given each request that was rejected, for a log. */
  readonly audit?: (request: Rejected) => void;
  readonly clock?: Clock;
};

/** PEM texts. */
export type AgentTls = {
  /** The agent's own. */
  readonly cert: string;
  readonly key: string;
  /** Callers need a certificate of one of these CAs, too. Absent: the token is enough. */
  readonly clientCa?: string;
};

export type Rejected = {
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly from: string;
};

export type RunningAgent = {
  readonly port: number;
  /** For connections from now on; throws for a pair that cannot be used. Over plain HTTP it does nothing. */
  readonly renew: (tls: AgentTls) => void;
  close(): Promise<void>;
};

/** A node without power does not close its connections. */
const IDLE_MS = 60_000;
/** Much less than a caller waits in silence. */
const ALIVE_MS = 5000;

type Answer = { readonly status: number; readonly body?: unknown };

/**
 * The agent of a node: it has the kubelet checkpoint containers, and moves the archives to other nodes. A caller names a
 * container or an image, never a path. Without the token the response is 401, without a certificate that is needed 403.
 */
export async function serveAgent(options: AgentOptions): Promise<RunningAgent> {
  const { tools, agents, host, port, audit = () => undefined, clock = systemClock } = options;
  const jobs = new CheckpointJobs(tools, agents, clock);
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = (given: Answer): void => {
      const { method = '', url: path = '', socket } = request;
      const { status } = given;
      if (status === 401 || status === 403) audit({ status, method, path, from: socket.remoteAddress ?? '' });
      send(response, given);
      // What is left of an archive.
      request.resume();
    };
    reply(await saidToBeAlive(response, clock, answer(request)).catch(failure));
  };
  const listener = requestListener(handle, () => undefined);
  const server = options.tls === undefined ? createServer(listener) : secured(options.tls, listener);
  // However long an archive takes: it ends when nothing more comes.
  server.requestTimeout = 0;
  const answer = async (request: IncomingMessage): Promise<Answer> =>
    refusal(request, options) ?? (await route(request, jobs, tools));
  return {
    port: await listen(server, { host, port }),
    renew({ clientCa, ...tls }) {
      if (server instanceof TlsServer) server.setSecureContext({ ...tls, ...defined({ ca: clientCa }) });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A caller without a good certificate gets a response that says so. */
function secured({ clientCa, ...tls }: AgentTls, handle: RequestListener): Server {
  const asks = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: false };
  return createTlsServer({ ...tls, ...asks }, handle);
}

/** Why a caller is not heard; undefined: it is. */
function refusal(request: IncomingMessage, { agents, tls }: AgentOptions): Answer | undefined {
  const isKnown = request.socket instanceof TLSSocket && request.socket.authorized;
  if (tls?.clientCa !== undefined && !isKnown)
    return { status: 403, body: { message: 'a certificate of the CA of this agent is needed' } };
  return isAllowed(request, agents.token) ? undefined : { status: 401, body: 'a token is needed' };
}

/** In constant time. */
function isAllowed({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return token !== '' && timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
}

/** Until the work is done the caller hears from time to time that it goes on: an image of many bytes is made in silence. */
async function saidToBeAlive<T>(response: ServerResponse, clock: Clock, work: Promise<T>): Promise<T> {
  let cancel: () => void = () => undefined;
  const later = (): void => {
    cancel = clock.after(ALIVE_MS, () => {
      response.writeProcessing();
      later();
    });
  };
  later();
  try {
    return await work;
  } finally {
    cancel();
  }
}

async function route(request: IncomingMessage, jobs: CheckpointJobs, tools: NodeTools): Promise<Answer> {
  const { method = '', url = '' } = request;
  const image = method === 'GET' ? imageInFacts(url) : undefined;
  if (image !== undefined) return { status: 200, body: await tools.facts(imageNamed(image)) };
  const found = namedBy(url);
  if (found === undefined) return { status: 404 };
  const { kind, name } = found;
  return kind === 'checkpoints' ? ofCheckpoint(request, name, jobs) : ofImage(request, name, tools);
}

/** Undefined: none is named. */
function imageNamed(image: string): string | undefined {
  if (image === '') return undefined;
  if (!isImageByDigest(image)) throw new OperatorError('Usage', 'an image is named by its digest');
  return image;
}

async function ofCheckpoint(request: IncomingMessage, id: string, jobs: CheckpointJobs): Promise<Answer> {
  const state = jobs.state(id);
  switch (request.method) {
    case 'PUT':
      jobs.begin(await orderIn(request, id));
      return { status: 202 };
    case 'GET':
      return state === undefined ? { status: 404 } : { status: 200, body: state };
    case 'DELETE':
      await jobs.remove(id);
      return { status: 204 };
    default:
      return { status: 405 };
  }
}

async function ofImage(request: IncomingMessage, image: string, tools: NodeTools): Promise<Answer> {
  const isNamed = request.method === 'DELETE' ? isCheckpointImage(image) : isOwnImage(image);
  if (!isNamed) throw new OperatorError('Forbidden', 'an agent makes and removes images of checkpoints only');
  const digest = request.headers[DIGEST_HEADER];
  switch (request.method) {
    case 'PUT':
      request.setTimeout(IDLE_MS, () => request.destroy());
      request.once('end', () => request.setTimeout(0));
      await tools.load(image, verified(request, typeof digest === 'string' ? digest : ''));
      return { status: 201 };
    case 'DELETE':
      await tools.removeImage(image);
      return { status: 204 };
    default:
      return { status: 405 };
  }
}

function failure(error: unknown): Answer {
  const { code, retryable = true, reason } = error instanceof OperatorError ? error : fullDisk(error);
  const status = code === 'Forbidden' ? 403 : retryable ? 500 : 400;
  return { status, body: { message: errorText(error), ...defined({ reason }) } };
}

/** It does not pass by itself. */
function fullDisk(error: unknown): Partial<Pick<OperatorError, 'code' | 'retryable' | 'reason'>> {
  const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
  return isFull ? { retryable: false, reason: 'NoSpace' } : {};
}

function send(response: ServerResponse, { status, body }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
}
