import { type Client, createClient, sleep, withRetry } from '@kubewright/client';
import type { Component, Director, History, Scenario } from '@kubewright/cluster';
import {
  type Condition,
  getCondition,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  stringifyJson,
} from '@kubewright/kube';
import { ownershipOperator } from '@kubewright/operators';
import { createManager } from '@kubewright/runtime';

const NAMESPACE = 'default';
const ref = (group: string, version: string, resource: string, kind: string, namespaced = true) => ({
  group,
  version,
  resource,
  kind,
  namespaced,
});
const DEFINITIONS = ref(
  'apiextensions.k8s.io',
  'v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
  false,
);
const DEPLOYMENTS = ref('apps', 'v1', 'deployments', 'Deployment');
const COMPOSITIONS = ref('eno.azure.io', 'v1', 'compositions', 'Composition');
const SLICES = ref('eno.azure.io', 'v1', 'resourceslices', 'ResourceSlice');

/** The ownership operator, as the manager process runs it. */
const operator: Component = {
  name: 'operator',
  async start({ transport, clock, random, signal }) {
    const client = createClient(withRetry(transport, { clock, random }));
    const manager = createManager({ client, clock, random });
    ownershipOperator.addTo(manager, {});
    await manager.start(signal);
  },
};

const deployment = (init: readonly JsonObject[], replicas?: number): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: NAMESPACE },
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        ...(init.length === 0 ? {} : { initContainers: init }),
        containers: [{ name: 'web', image: 'web:1' }],
      },
    },
  },
});

const object = (json: JsonObject): KubeObject => json as unknown as KubeObject;

async function define(client: Client, clock: Director['clock']): Promise<void> {
  for (const definition of ownershipOperator.definitions) {
    await client.create(DEFINITIONS, definition);
    for (;;) {
      const live = await client.get(DEFINITIONS, { name: definition.metadata.name ?? '' });
      const { conditions } = (live as { status?: { conditions?: Condition[] } }).status ?? {};
      if (getCondition(conditions, 'Established')?.status === 'True') break;
      await sleep(clock, 10);
    }
  }
}

/** The split of the issue: created whole by one client, then applied by eno, with a sibling that nobody shares. */
async function prepare({ client, clock }: Director): Promise<void> {
  await define(client, clock);
  const init = { name: 'base-os-bash', image: 'b:1', command: ['sh'] };
  const keep = { name: 'keep', image: 'k:1' };
  await client.create(DEPLOYMENTS, object(deployment([init, keep], 3)), { fieldManager: 'Go-http-client' });
  const upgraded = { name: 'base-os-bash', image: 'b:2' };
  await client.apply(DEPLOYMENTS, object(deployment([upgraded])), { fieldManager: 'eno', force: true });
}

/** A user hands over the new manifest; others go on writing what is theirs. */
async function script({ client, clock }: Director): Promise<void> {
  const composition = await client.create(
    COMPOSITIONS,
    object({
      apiVersion: 'eno.azure.io/v1',
      kind: 'Composition',
      metadata: { name: 'shop', namespace: NAMESPACE },
      spec: {},
    }),
  );
  const owner = {
    apiVersion: 'eno.azure.io/v1',
    kind: 'Composition',
    name: 'shop',
    uid: composition.metadata.uid ?? '',
    controller: true,
  };
  await client.create(
    SLICES,
    object({
      apiVersion: 'eno.azure.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: 'shop-1', namespace: NAMESPACE, ownerReferences: [owner] },
      spec: { resources: [{ manifest: JSON.stringify(deployment([])) }] },
    }),
  );
  for (const replicas of [4, 5]) {
    await sleep(clock, 700);
    const patch = { spec: { replicas }, metadata: { labels: { scaled: String(replicas) } } };
    await client.patch(
      DEPLOYMENTS,
      { name: 'web', namespace: NAMESPACE },
      { type: 'merge', body: patch },
      { fieldManager: 'scaler' },
    );
  }
}

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (current, key) => (isJsonObject(current) ? getOwn(current, key) : undefined),
    value,
  );
}

const text = (value: Json | undefined): string => (value === undefined ? 'no' : stringifyJson(value));

const initNames = (live: KubeObject): readonly string[] => {
  const items = at(live, 'spec', 'template', 'spec', 'initContainers');
  return isJsonArray(items) ? items.map((item) => text(at(item, 'name'))) : [];
};

async function missing({ client }: Director): Promise<string | undefined> {
  const live = await client.get(DEPLOYMENTS, { name: 'web', namespace: NAMESPACE });
  if (initNames(live).join() !== '"keep"') return `init containers are ${initNames(live).join()}`;
  const slice = await client.get(SLICES, { name: 'shop-1', namespace: NAMESPACE });
  const states = at(slice, 'status', 'resources');
  const [state] = isJsonArray(states) ? states : [];
  return at(state, 'reconciled') === true ? undefined : 'the slice is not reconciled';
}

/** What is nobody's business but its owner's, in every state that the object ever had. */
function othersKeepTheirs(history: History): string | undefined {
  for (const { object: live, at: when } of history.of('deployments', 'web')) {
    const { managedFields = [] } = live.metadata;
    const legacy = managedFields.find((entry) => entry.manager === 'Go-http-client');
    const items = at(legacy?.fieldsV1, 'f:spec', 'f:template', 'f:spec', 'f:initContainers');
    if (at(items, 'k:{"name":"keep"}', '.') === undefined) return `the sibling's claim was lost at ${when}`;
    if (!initNames(live).includes('"keep"')) return `the sibling was lost at ${when}`;
    if (at(live, 'spec', 'replicas') === 1) return `replicas were reset at ${when}`;
  }
  return undefined;
}

function scalerKeepsItsLabel(history: History): string | undefined {
  const last = history.of('deployments', 'web').at(-1)?.object;
  const replicas = at(last, 'spec', 'replicas');
  return last?.metadata.labels?.['scaled'] === '5' && replicas === 5
    ? undefined
    : `ended with ${text(replicas)} replicas`;
}

function statusComesAfterTheAct(history: History): string | undefined {
  let removed = Number.POSITIVE_INFINITY;
  for (const [index, write] of history.all.entries()) {
    if (write.resource === 'deployments' && !initNames(write.object).includes('"base-os-bash"'))
      removed = Math.min(removed, index);
    const states = at(write.object, 'status', 'resources');
    const done =
      write.resource === 'resourceslices' && isJsonArray(states) && at(states[0], 'reconciled') === true;
    if (done && index < removed) return `reconciled was reported before the removal, at ${write.at}`;
  }
  return undefined;
}

export const ownershipScenario: Scenario = {
  name: 'ownership',
  observed: [
    ['apps', 'deployments'],
    ['eno.azure.io', 'resourceslices'],
    ['eno.azure.io', 'compositions'],
  ],
  components: [operator],
  prepare,
  script,
  missing,
  invariants: {
    'others keep theirs': othersKeepTheirs,
    'the scaler keeps what it wrote': scalerKeepsItsLabel,
    'status comes after the act': statusComesAfterTheAct,
  },
};
