import {
  type Client,
  createClient,
  ignoreNotFound,
  isConflict,
  isTooManyRequests,
  sleep,
  withRetry,
} from '@kubewright/client';
import {
  type Component,
  type ScenarioContext,
  drawFaults,
  type History,
  type Scenario,
} from '@kubewright/cluster';
import {
  type ApiResponse,
  appsv1,
  corev1,
  type KubeObject,
  parseJson,
  policyv1,
  stringifyJson,
} from '@kubewright/kube';
import { createManager, watchKind, silentLogger } from '@kubewright/runtime';
import { type Tamper, tamperedControllers } from './tampered-controllers.ts';

const NAMESPACE = 'default';
const WEB = { namespace: NAMESPACE, name: 'web' };
const DONE = { namespace: NAMESPACE, name: 'script-done' };
const LABELS = { app: 'web' };
const REPLICAS = 4;
const KEPT = 2;
/** What a controller of budgets masters. One that restarts from a stale read evicts too many, in Kubernetes too. */
const SURVIVABLE = new Set([
  'lostRequest',
  'lostResponse',
  'errorResponse',
  'delay',
  'cut',
  'lag',
  'repeat',
  'pause',
]);

const CONTROLLERS = ['replicaset-controller', 'disruption-controller'] as const;

/** Makes pods ready some seconds after they were made. */
const node: Component = {
  name: 'node',
  async start({ transport, clock, random, signal }) {
    const client = createClient(withRetry(transport, { clock, random }));
    const manager = createManager({ client, clock, random, log: silentLogger });
    manager.addController({
      name: 'node',
      sources: [watchKind(corev1.pods)],
      reconciler: {
        async reconcile(request) {
          const pod = manager.cache.get(corev1.pods, request);
          if (pod === undefined || isHealthy(pod)) return {};
          const due = Date.parse(pod.metadata.creationTimestamp ?? '') + 3000;
          if (clock.now() < due) return { requeueAfter: due - clock.now() };
          const conditions = [{ type: 'Ready', status: 'True' }];
          const patch = { type: 'merge', body: { status: { phase: 'Running', conditions } } } as const;
          const patched = client.patch(corev1.pods, request, patch, { subresource: 'status' });
          await ignoreNotFound(patched).catch((error: unknown) => {
            if (!isConflict(error)) throw error;
          });
          // Another look: a write that somebody's webhook undoes brings no event.
          return { requeueAfter: 1000 };
        },
      },
    });
    await manager.start(signal);
  },
};

function isHealthy({ metadata, status }: corev1.Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && metadata.deletionTimestamp === undefined;
}

async function evict(client: Client, pod: corev1.Pod): Promise<void> {
  const { name = '' } = pod.metadata;
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace: NAMESPACE, name } };
  const evicted = client.create<KubeObject>(corev1.pods, eviction, { subresource: 'eviction' });
  await ignoreNotFound(evicted).catch((error: unknown) => {
    if (!isTooManyRequests(error)) throw error;
  });
}

/** Somebody who wants all pods gone, again and again. */
async function script({ client, clock, random }: ScenarioContext): Promise<void> {
  for (let round = 0; round < 25; round++) {
    await sleep(clock, random.below(4000));
    const { items } = await client.list(corev1.pods, { namespace: NAMESPACE });
    for (const pod of items) await evict(client, pod);
  }
  await client.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: DONE });
}

async function prepare({ client }: ScenarioContext): Promise<void> {
  const template = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  await client.create(policyv1.poddisruptionbudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: WEB,
    spec: { minAvailable: KEPT, selector: { matchLabels: LABELS } },
  });
  await client.create(appsv1.replicasets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: WEB,
    spec: { replicas: REPLICAS, selector: { matchLabels: LABELS }, template },
  });
}

async function missing({ client }: ScenarioContext): Promise<string | undefined> {
  if ((await ignoreNotFound(client.get(corev1.configmaps, DONE))) === undefined)
    return 'the end of the script';
  const { status } = await client.get(policyv1.poddisruptionbudgets, WEB);
  const left = status?.disruptionsAllowed;
  return left === REPLICAS - KEPT ? undefined : `${REPLICAS - KEPT} disruptions; there are ${left}`;
}

/** A healthy pod goes only where enough others stay. */
function neverBroken(history: History): string | undefined {
  const healthy = new Set<string>();
  for (const { resource, type, object, at } of history.all) {
    if (resource !== 'pods') continue;
    const { name } = object.metadata;
    const was = healthy.has(name);
    if (type !== 'DELETED' && isHealthy(object as corev1.Pod)) healthy.add(name);
    else healthy.delete(name);
    if (was && !healthy.has(name) && healthy.size < KEPT) return `at ${at} only ${healthy.size} were left`;
  }
  return undefined;
}

/** Writes what it counted over what has been given away since. */
export const unguarded: Tamper = (transport) => ({
  ...transport,
  async request(request) {
    const { method, path, body } = request;
    if (typeof body !== 'string' || method !== 'PUT' || !path.includes('/poddisruptionbudgets/'))
      return transport.request(request);
    const live = await transport.request({
      method: 'GET',
      path: path.replace(/\/status.*/, ''),
      headers: {},
    });
    const { resourceVersion = '' } = (await readObject(live)).metadata;
    const object = parseJson(Buffer.from(body)) as KubeObject;
    const forced = { ...object, metadata: { ...object.metadata, resourceVersion } };
    return transport.request({ ...request, body: stringifyJson(forced) });
  },
});

async function readObject({ body }: ApiResponse): Promise<KubeObject> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return parseJson(Buffer.concat(chunks)) as KubeObject;
}

/** A budget, the pods that it keeps, and somebody who evicts them. */
export function evictionsScenario(tamper: Tamper = (transport) => transport): Scenario {
  return {
    name: 'evictions',
    observed: [
      ['', 'pods'],
      ['policy', 'poddisruptionbudgets'],
    ],
    components: [tamperedControllers(tamper, { controllers: CONTROLLERS }), node],
    faults: (random) => drawFaults(random, ['controllers'], 90).filter(({ type }) => SURVIVABLE.has(type)),
    prepare,
    script,
    missing,
    invariants: { 'a budget is never broken': neverBroken },
  };
}
