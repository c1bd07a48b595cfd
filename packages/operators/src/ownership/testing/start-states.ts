import assert from 'node:assert/strict';
import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import type { Clients } from './clients.ts';
import { valueAt } from '../../kit/testing/value-at.ts';
import { configMap, container, deployment } from './objects.ts';

/** The manager whose next manifest drops something. */
export const APPLIER = 'eno';

const LEGACY = 'Go-http-client';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const ITEM = 'setup';

/** An object as its several managers left it, and the manifest that {@link APPLIER} has next. */
export type StartState = {
  readonly title: string;
  /** The managers that a user would name, where a tool has to be told whose fields to take. */
  readonly managers: readonly string[];
  prepare(clients: Clients, name: string): Promise<void>;
  manifest(name: string): KubeObject;
  /** The live object without what the manifest drops: all else has to stay. */
  without(live: KubeObject): KubeObject;
};

type Deployed = {
  readonly title: string;
  readonly managers: readonly string[];
  /** What creates the Deployment before the applier comes. Default: {@link LEGACY}. */
  readonly creator?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of the created object. */
  readonly spec?: JsonObject;
  readonly siblings?: readonly JsonObject[];
  /** Of the created object. Default: one, as in the manifest. */
  readonly containers?: readonly JsonObject[];
  /** What happens after the applier has applied for the first time. */
  last?(clients: Clients, name: string): Promise<unknown>;
  /** What happens before it does. */
  first?(clients: Clients, name: string): Promise<unknown>;
};

const A_VARIABLE = { name: 'A', value: '1' };
const setup = (image: string): JsonObject => container(ITEM, image, { command: ['sh'] });

/** A Deployment whose init container the manifest drops. */
function deployed(state: Deployed): StartState {
  const { title, managers, creator = LEGACY, annotations, spec = {}, siblings = [], containers } = state;
  return {
    title,
    managers,
    async prepare(clients, name) {
      const init = [setup('setup:1'), ...siblings];
      const created = deployment(name, { init, ...(containers && { containers }) }, spec);
      const metadata = { ...created.metadata, ...(annotations && { annotations }) };
      await clients.create({ ...created, metadata }, creator);
      await state.first?.(clients, name);
      await clients.apply(deployment(name, { init: [setup('setup:2')] }), APPLIER);
      await state.last?.(clients, name);
    },
    manifest: (name) => deployment(name),
    without: withoutItem,
  };
}

/** The Deployment without the init container {@link ITEM}, and without the list where it was alone. */
function withoutItem(live: KubeObject): KubeObject {
  const spec = valueAt(live, 'spec') as JsonObject;
  const template = spec['template'] as JsonObject;
  const { initContainers, ...pod } = template['spec'] as JsonObject;
  const kept = ((initContainers ?? []) as readonly JsonObject[]).filter((one) => one['name'] !== ITEM);
  const next = kept.length === 0 ? pod : { ...pod, initContainers: kept };
  return { ...live, spec: { ...spec, template: { ...template, spec: next } } };
}

/** By Helm 3 with `--take-ownership`. */
async function takenOver(clients: Clients, name: string): Promise<void> {
  const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
  const live = deployment(name, { init: [setup('setup:1')] });
  await clients.patch(live, { metadata: { labels } }, 'helm');
}

const item = (name: string, more: JsonObject): KubeObject => ({
  ...deployment(name),
  spec: { template: { spec: { initContainers: [{ name: ITEM, ...more }] } } },
});

/** Ways in which a field came to have more than one owner. */
export const START_STATES: readonly StartState[] = [
  deployed({
    title: 'created by a client that does not use server-side apply',
    managers: [LEGACY],
  }),
  deployed({
    title: 'created by `kubectl apply` without `--server-side`',
    managers: ['kubectl-client-side-apply'],
    creator: 'kubectl-client-side-apply',
    annotations: { [LAST_APPLIED]: '{}' },
  }),
  deployed({
    title: 'updated before under the name that applies now',
    managers: [APPLIER],
    creator: APPLIER,
  }),
  deployed({
    title: 'in the cluster before its fields were tracked (`before-first-apply`)',
    managers: ['before-first-apply'],
    first: async (clients, name) => clients.rewrite(deployment(name), [{}]),
  }),
  deployed({
    title: 'updated by more than ten clients (`ancient-changes`)',
    managers: ['ancient-changes'],
    async last(clients, name) {
      for (let nth = 0; nth < 11; nth++)
        await clients.patch(deployment(name), { metadata: { labels: { [`l${nth}`]: 'x' } } }, `tool-${nth}`);
    },
  }),
  deployed({
    title: 'the item is also applied by another manager',
    managers: [LEGACY, 'other'],
    last: (clients, name) => clients.apply(item(name, { command: ['sh'] }), 'other'),
  }),
  deployed({
    title: 'two updaters and another applier hold the item',
    managers: [LEGACY, 'tool', 'other'],
    async last(clients, name) {
      const body = { spec: { template: { spec: { initContainers: [{ name: ITEM, tty: true }] } } } };
      await clients.patch(deployment(name), body, 'tool');
      await clients.apply(item(name, { command: ['sh'] }), 'other');
    },
  }),
  deployed({
    title: 'another client added an item beside it',
    managers: [LEGACY],
    siblings: [container('keep', 'keep:1', { command: ['sh'] })],
  }),
  deployed({
    title: 'the creator also set a strategy that the manifest does not have',
    managers: [LEGACY],
    spec: { strategy: { type: 'Recreate' } },
  }),
  deployed({
    title: 'somebody also set the replicas, which the manifest does not have',
    managers: [LEGACY, 'kubectl-edit'],
    last: (clients, name) =>
      clients.patch(deployment(name), { spec: { replicas: 5 } }, 'kubectl-edit', { type: 'merge' }),
  }),
  deployed({
    title: 'created by Helm 3',
    managers: ['helm'],
    creator: 'helm',
  }),
  deployed({
    title: 'created by another client, and taken over by Helm 3 with `--take-ownership`',
    managers: [LEGACY, 'helm'],
    first: takenOver,
  }),
  deployed({
    title: 'taken over by Helm 3, whose switch to server-side apply failed once',
    managers: [LEGACY, 'helm'],
    async first(clients, name) {
      await takenOver(clients, name);
      await clients.patch(deployment(name), { spec: { replicas: 3 } }, 'kubectl', { type: 'merge' });
      const other = deployment(name, { init: [setup('setup:2')] }, { replicas: 2 });
      assert.equal(await clients.applyUnforced(other, APPLIER), false);
    },
  }),
  deployed({
    title: 'created by Helm 3 with a variable that is twice in `env`',
    managers: ['helm'],
    creator: 'helm',
    containers: [container('web', 'nginx:1', { env: [A_VARIABLE, { ...A_VARIABLE, value: '2' }] })],
  }),
  deployed({
    title: 'scaled by an autoscaler, and the manifest has no replicas any more',
    managers: [LEGACY],
    spec: { replicas: 2 },
    last: (clients, name) =>
      clients.patch(deployment(name), { spec: { replicas: 5 } }, 'kube-controller-manager', {
        type: 'merge',
        subresource: 'scale',
      }),
  }),
  {
    title: 'a key of a ConfigMap, which others hold with the same value',
    managers: [LEGACY],
    async prepare(clients, name) {
      await clients.create(configMap(name, { x: '1', y: '2', z: '3' }), LEGACY);
      await clients.apply(configMap(name, { x: '1', y: '2' }), APPLIER);
    },
    manifest: (name) => configMap(name, { x: '1' }),
    without: withoutKey,
  },
  {
    title: 'two updaters hold a key of a ConfigMap, one of them alone also a label',
    managers: [LEGACY, 'tool'],
    async prepare(clients, name) {
      await clients.create(configMap(name, { x: '1', y: '1' }), LEGACY);
      await clients.apply(configMap(name, { x: '1', y: '2' }), APPLIER);
      const body = { data: { y: '3' }, metadata: { labels: { tier: 'web' } } };
      await clients.patch(configMap(name), body, 'tool', { type: 'merge' });
      await clients.apply(configMap(name, { x: '1', y: '3' }), APPLIER);
    },
    manifest: (name) => configMap(name, { x: '1' }),
    without: withoutKey,
  },
];

function withoutKey(live: KubeObject): KubeObject {
  const { y: _dropped, ...data } = valueAt(live, 'data') as JsonObject;
  return { ...live, data };
}

/** What became of an object: what the manifest dropped, and everything else. */
export type Outcome = {
  /** The dropped field is still there. */
  readonly isStuck: boolean;
  /** Paths that changed although neither manifest names a change, with their values. */
  readonly changed: readonly string[];
};

/** Compares the object before and after a manager's next apply. */
export function outcomeOf(state: StartState, before: KubeObject, after: KubeObject): Outcome {
  const rest = content(state.without(after));
  const changed = differences(content(state.without(before)), rest, '');
  return { isStuck: differences(content(after), rest, '').length > 0, changed };
}

/** The object without what every write changes, or a tool keeps for itself. */
function content({ metadata, ...rest }: KubeObject): JsonObject {
  const { labels = {}, annotations = {} } = metadata;
  const { [LAST_APPLIED]: _kept, ...others } = annotations;
  return { ...rest, metadata: { labels, annotations: others } };
}

/** `path: before → after` for each leaf that differs. */
function differences(one: Json | undefined, other: Json | undefined, path: string): readonly string[] {
  if (isObject(one) && isObject(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...keys].flatMap((key) =>
      differences(one[key], other[key], path === '' ? key : `${path}.${key}`),
    );
  }
  const [before, after] = [JSON.stringify(one), JSON.stringify(other)];
  return before === after ? [] : [`${path}: ${short(before)} → ${short(after)}`];
}

const SHOWN = 32;

function short(value = 'absent'): string {
  return value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
