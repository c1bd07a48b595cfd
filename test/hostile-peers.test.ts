import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createApiServer } from '@kubewright/apiserver';
import { admissionWebhook, allowed, createHealthServer, Registry, silentLogger } from '@kubewright/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { servePrometheus } from '../packages/cluster/src/metrics/serve-prometheus.ts';
import { openKubeletServer } from '../packages/cluster/src/nodes/kubelet/kubelet-server.ts';
import { serveReports } from '../packages/kubewright/src/run/serve-reports.ts';
import { serveCalls } from '../packages/operators/src/classes/deployments/serve-calls.ts';
import { serveAmqp } from '../packages/operators/src/migration/brokers/amqp/serve-amqp.ts';
import { InProcessBroker } from '../packages/operators/src/migration/brokers/in-process/in-process-broker.ts';
import { serveAgent } from '../packages/operators/src/migration/checkpoints/serve-agent.ts';
import { JSON_TYPE, review, webhookBench } from '../packages/runtime/src/webhook/testing/webhook-bench.ts';
import { harass, PEER_KINDS } from './support/hostile-peers.ts';
import { runs, seed } from './support/seeds.ts';

const HOST = '127.0.0.1';
const { serve: serveWebhooks } = webhookBench();

/** A listener, a path at which it reads bodies if it does, and a request of somebody who has done nothing wrong. */
type Served = {
  readonly port: number;
  readonly isTls: boolean;
  readonly path: string;
  readonly asks: () => Promise<number | string>;
};

type Call = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string };

async function statusOf(isTls: boolean, port: number, path: string, call: Call = {}): Promise<number> {
  const { method = 'GET', headers = {}, body } = call;
  const send = isTls ? httpsRequest : httpRequest;
  const request = send({ host: HOST, port, path, method, headers, rejectUnauthorized: false, agent: false });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await text(response);
  return response.statusCode ?? 0;
}

/** Starts something that serves until its signal, and ends it with the test. */
async function running(
  start: (signal: AbortSignal, listens: (port: number) => void) => Promise<void>,
): Promise<number> {
  const stop = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  const port = await new Promise<number>((resolve, reject) => {
    ended = start(stop.signal, resolve);
    ended.catch(reject);
  });
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  return port;
}

const unused = (): Promise<never> => Promise.reject(new TypeError('it is not called'));

const LISTENERS: Readonly<Record<string, () => Promise<Served>>> = {
  async 'the webhook server'() {
    const path = '/any';
    const { port } = await serveWebhooks({ [path]: admissionWebhook(() => allowed()) }, undefined, 1000);
    const call = { method: 'POST', headers: JSON_TYPE, body: review({}) };
    return { port, isTls: true, path, asks: () => statusOf(true, port, path, call) };
  },

  async 'the health server'() {
    const health = () => ({ live: true, ready: true, reasons: [], degraded: [] });
    const manager = { registry: new Registry(), log: silentLogger, health };
    const port = await running((signal, onListening) =>
      createHealthServer(manager as never, { port: 0, host: HOST, onListening }).start(signal),
    );
    return { port, isTls: false, path: '/metrics', asks: () => statusOf(false, port, '/readyz') };
  },

  async 'the embedded API server'() {
    const server = createApiServer();
    const { url } = await server.listen();
    onTestFinished(() => server.close());
    const port = Number(new URL(url).port);
    const path = '/api/v1/namespaces/default/configmaps';
    return { port, isTls: true, path, asks: () => statusOf(true, port, '/readyz') };
  },

  async 'the server of kubelets'() {
    const port = await running(async (signal, listens) => {
      const server = await openKubeletServer({ signal });
      listens(server.port);
      await server.ended;
    });
    return { port, isTls: true, path: '/pods', asks: () => statusOf(true, port, '/pods') };
  },

  async 'the server of metrics as Prometheus'() {
    const api = createApiServer();
    const server = await servePrometheus(api.transport());
    onTestFinished(async () => {
      await server.close();
      await api.close();
    });
    const port = Number(new URL(server.url).port);
    const path = '/api/v1/query';
    return { port, isTls: false, path, asks: () => statusOf(false, port, `${path}?query=up`) };
  },

  async 'the API for package managers'() {
    const calls = {
      Deploy: unused,
      GetDeploymentStatus: unused,
      DeleteDeployment: unused,
      ListClassRuntimes: unused,
      GetClassRuntime: unused,
      GetEnvHealth: unused,
    };
    const port = await running((signal, onListening) =>
      serveCalls(
        calls,
        { host: HOST, port: 0, onListening },
        { log: silentLogger, registry: new Registry() },
        signal,
      ),
    );
    return { port, isTls: false, path: '/metrics', asks: () => statusOf(false, port, '/health') };
  },

  async 'the agent of a node'() {
    const tools = {
      checkpoint: unused,
      facts: unused,
      load: unused,
      send: unused,
      removeImage: unused,
      removeArchive: unused,
    };
    const agents = { url: 'http://127.0.0.1', token: 'token' };
    const agent = await serveAgent({ tools: tools as never, agents, host: HOST, port: 0 });
    onTestFinished(() => agent.close());
    const { port } = agent;
    return {
      port,
      isTls: false,
      path: '/checkpoints/a.1',
      asks: () => statusOf(false, port, '/checkpoints/a.1'),
    };
  },

  async 'the backend of DriftReports'() {
    const server = await serveReports(
      { host: HOST, port: 0 },
      () => undefined,
      () => new Date(0),
    );
    onTestFinished(() => server.close());
    const { port } = server;
    return { port, isTls: false, path: '/webhook', asks: () => statusOf(false, port, '/healthz') };
  },

  async 'the simulated RabbitMQ'() {
    const server = await serveAmqp(new InProcessBroker());
    onTestFinished(() => server.close());
    const { port } = server;
    return {
      port,
      isTls: false,
      path: '/',
      async asks() {
        const socket = connect({ host: HOST, port });
        socket.write('AMQP\0\0\u0009\u0001');
        const [first] = (await once(socket, 'data')) as [Buffer];
        socket.destroy();
        return first.toString('latin1', 0, 1);
      },
    };
  },
};

/** What somebody gets who has done nothing wrong: of the kubelets, which are starting, and of the agent without its token that. */
const EXPECTED: Readonly<Record<string, number | string>> = {
  'the server of kubelets': 503,
  'the agent of a node': 401,
  'the simulated RabbitMQ': '\u0001',
};

describe('peers that cancel, reset, fall silent, send half of something, or speak something else', () => {
  it.each(Object.entries(LISTENERS))('%s goes on serving others', async (name, start) => {
    const { asks, ...target } = await start();
    const connections = await harass(target, runs(2), seed);
    expect(connections).toBeGreaterThan(PEER_KINDS);
    expect(await asks()).toBe(EXPECTED[name] ?? 200);
  });
});
