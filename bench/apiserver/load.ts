import type { JsonObject, Transport } from '@kubewright/kube';

const CONCURRENCY = 32;
const NAMESPACE = 'bench';
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;

/** Calls per second, by what was called. */
export type Rates = {
  readonly create: number;
  readonly get: number;
  readonly apply: number;
  readonly list: number;
};

export type LoadSize = { readonly objects: number; readonly gets: number; readonly lists: number };

/** A Deployment of everyday size: two containers with environment, probes and resources. */
function deployment(name: string, image: string): JsonObject {
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
    metadata: { name, namespace: NAMESPACE, labels },
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
  if (response.status !== expected) throw new Error(`${method} ${path}: ${response.status}, not ${expected}`);
}

/** `count` calls, {@link CONCURRENCY} at a time; calls per second. */
async function rate(count: number, call: (index: number) => Promise<void>): Promise<number> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await call(index);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return count / ((performance.now() - began) / 1000);
}

/** Creates, gets, applies and lists Deployments over one transport. */
export async function measure(transport: Transport, { objects, gets, lists }: LoadSize): Promise<Rates> {
  const json = 'application/json';
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await send(transport, { method: 'POST', path: '/api/v1/namespaces', type: json, body: namespace }, 201);
  const name = (index: number): string => `deployment-${index}`;
  const create = await rate(objects, (index) =>
    send(
      transport,
      { method: 'POST', path: DEPLOYMENTS, type: json, body: deployment(name(index), 'image:1') },
      201,
    ),
  );
  const get = await rate(gets, (index) =>
    send(transport, { method: 'GET', path: `${DEPLOYMENTS}/${name(index % objects)}` }, 200),
  );
  const apply = await rate(objects, (index) => {
    const path = `${DEPLOYMENTS}/${name(index)}?fieldManager=bench&force=true`;
    const body = deployment(name(index), 'image:2');
    return send(transport, { method: 'PATCH', path, type: 'application/apply-patch+yaml', body }, 200);
  });
  const list = await rate(lists, () => send(transport, { method: 'GET', path: DEPLOYMENTS }, 200));
  return { create, get, apply, list };
}
