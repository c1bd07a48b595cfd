import assert from 'node:assert/strict';
import type { JsonObject, Transport } from '@kubewright/kube';

const CONCURRENCY = 32;

/** Latency of the requests of one kind, and the CPU time of a request on either side, milliseconds. */
export type Rate = { readonly perSecond: number; readonly serverCpu: number; readonly clientCpu: number };

export type Verb = 'create' | 'get' | 'apply' | 'list';
export type Rates = Readonly<Record<Verb, Rate>>;

export type LoadSize = { readonly objects: number; readonly gets: number; readonly lists: number };

/** A Deployment of everyday size: two containers with environment, probes and resources. */
function deployment(namespace: string, name: string, image: string): JsonObject {
  const container = (container: string): JsonObject => ({
    name: container,
    image,
    env: Array.from({ length: 5 }, (_, index) => ({ name: `VARIABLE_${index}`, value: `value-${index}` })),
    ports: [{ name: `http-${container}`, containerPort: 8080 }],
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5 },
  });
  const labels = { app: name, tier: 'bench' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels }, spec: { containers: [container('main'), container('side')] } },
    },
  };
}

type Call = {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly type?: string;
  readonly body?: JsonObject;
};

async function send(
  transport: Transport,
  { method, path, type, body }: Call,
  expected: number,
): Promise<void> {
  const response = await transport.request({
    method,
    path,
    headers: { accept: 'application/json', ...(type === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  for await (const _ of response.body);
  assert(response.status === expected, `${method} ${path}: ${response.status}, not ${expected}`);
}

/** Time on a core that this process has used so far, milliseconds. */
function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Makes `count` calls, {@link CONCURRENCY} at a time. */
async function rate(count: number, cpu: () => number, call: (index: number) => Promise<void>): Promise<Rate> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await call(index);
    }
  };
  const [server, client, began] = [cpu(), ownCpu(), performance.now()];
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  const seconds = (performance.now() - began) / 1000;
  return {
    perSecond: count / seconds,
    serverCpu: (cpu() - server) / count,
    clientCpu: (ownCpu() - client) / count,
  };
}

/** The server under load. `cpu` returns its CPU time so far, milliseconds. */
export type Load = { readonly transport: Transport; readonly cpu: () => number; readonly namespace: string };

/** Creates, gets, applies and lists Deployments of a new namespace over one transport. */
export async function measure(
  { transport, cpu, namespace }: Load,
  { objects, gets, lists }: LoadSize,
): Promise<Rates> {
  const json = 'application/json';
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await send(transport, { method: 'POST', path: '/api/v1/namespaces', type: json, body: home }, 201);
  const name = (index: number): string => `deployment-${index}`;
  const create = await rate(objects, cpu, (index) => {
    const body = deployment(namespace, name(index), 'image:1');
    return send(transport, { method: 'POST', path: deployments, type: json, body }, 201);
  });
  const get = await rate(gets, cpu, (index) =>
    send(transport, { method: 'GET', path: `${deployments}/${name(index % objects)}` }, 200),
  );
  const apply = await rate(objects, cpu, (index) => {
    const path = `${deployments}/${name(index)}?fieldManager=bench&force=true`;
    const body = deployment(namespace, name(index), 'image:2');
    return send(transport, { method: 'PATCH', path, type: 'application/apply-patch+yaml', body }, 200);
  });
  const list = await rate(lists, cpu, () => send(transport, { method: 'GET', path: deployments }, 200));
  return { create, get, apply, list };
}
