import { type Client, createClient, ignoreNotFound, isForbidden, keyOf, withRetry } from '@kubewright/client';
import type { Component, ComponentEnvironment, History } from '@kubewright/cluster';
import {
  controllerOf,
  corev1,
  defined,
  jsonEqual,
  type JsonObject,
  type KubeObject,
  ownerReferenceTo,
  type Stored,
} from '@kubewright/kube';
import { createManager, partOf, silentLogger, watchKind, watchMapped } from '@kubewright/runtime';
import { openKind } from '../../packages/operators/src/drift/testing/open-kind.ts';

/** Parents whose controller writes in the style that their spec names. */
export const WIDGETS = openKind('styles.example.com', 'Widget', 'widgets');
/** Which version of the controller runs; nobody judges what is here. */
export const VERSION = { namespace: 'kube-public', name: 'styles' };
const VERSIONS = partOf(corev1.configmaps, 'version', { namespace: VERSION.namespace });
const CHILDREN = partOf(corev1.configmaps, 'children', { namespace: 'default' });
const WRONG = { namespace: 'kube-public', name: 'styles-denied' };
const CONTROLLER = { username: 'system:serviceaccount:styles:controller', groups: ['system:masters'] };
const JUDGE = { username: 'judge', groups: ['system:masters'] };
/** A denial that ends by itself is a late answer of one replica, and not the verdict. */
const LASTING_MS = 90_000;

type Widget = Stored;
type Data = Readonly<Record<string, string>>;
type Sync = {
  readonly client: Client;
  readonly widget: Widget;
  readonly data: Data;
  readonly random: () => number;
};
/** Milliseconds until it looks again. */
type Style = (sync: Sync) => Promise<number | undefined>;

const at = (object: KubeObject, part: 'spec' | 'status'): JsonObject => (object[part] ?? {}) as JsonObject;
/** As the scenario writes it. */
const specOf = (widget: Widget) => at(widget, 'spec') as { readonly style: string; readonly color: string };
const generationOf = ({ metadata }: Widget): number => metadata.generation ?? 0;

function says({ client, widget }: Sync, status: JsonObject): Promise<Widget> {
  const body = { status };
  return client.patch<KubeObject>(
    WIDGETS.ref,
    keyOf(widget),
    { type: 'merge', body },
    { subresource: 'status' },
  );
}

const ready = (generation: number, status: string): JsonObject => ({
  conditions: [{ type: 'Ready', status, observedGeneration: generation, reason: 'Styled', message: '' }],
});

/** The child of a name; what is there as it is wanted is not written. */
async function child(sync: Sync, name = sync.widget.metadata.name, annotations = {}): Promise<void> {
  const { client, widget, data } = sync;
  const { namespace = '' } = widget.metadata;
  const live = await ignoreNotFound(client.get(corev1.configmaps, { namespace, name }));
  const stored =
    live === undefined ? await create(sync, name, annotations) : await update(sync, live, annotations);
  // A mutating webhook may undo a write that is accepted: only the response counts.
  if (!jsonEqual(stored.data, data)) throw new TypeError(`ConfigMap ${name} was undone`);
}

function create({ client, widget, data }: Sync, name: string, annotations: Data): Promise<corev1.ConfigMap> {
  const ownerReferences = [ownerReferenceTo(widget, { controller: true })];
  const { namespace = '' } = widget.metadata;
  const metadata = { namespace, name, annotations, ownerReferences };
  return client.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
}

async function update(
  { client, data }: Sync,
  live: Stored<corev1.ConfigMap>,
  more: Data,
): Promise<corev1.ConfigMap> {
  const { annotations: before = {} } = live.metadata;
  const annotations = { ...before, ...more };
  if (jsonEqual(live.data, data) && jsonEqual(annotations, before)) return live;
  return client.update(corev1.configmaps, { ...live, metadata: { ...live.metadata, annotations }, data });
}

/** Status first, as cert-manager: the child, and a key with a generated name that it deletes again, come later. */
async function late(sync: Sync): Promise<number | undefined> {
  const { client, widget, random } = sync;
  const generation = generationOf(widget);
  const [condition] = (at(widget, 'status')['conditions'] ?? []) as readonly JsonObject[];
  if (condition?.['observedGeneration'] !== generation) {
    await says(sync, ready(generation, 'False'));
    return 200 + random() * 15_000;
  }
  await child(sync);
  if (condition['status'] === 'True') return undefined;
  const { namespace = '', name } = widget.metadata;
  const ownerReferences = [ownerReferenceTo(widget, { controller: true })];
  const metadata = { namespace, generateName: `${name}-key-`, ownerReferences };
  const key = await client.create(corev1.secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    data: { key: '' },
  });
  await says(sync, ready(generation, 'True'));
  await client.delete(corev1.secrets, key.metadata);
  return undefined;
}

/** Generations as text, and all annotations are copied at each sync, as Argo Rollouts does. */
async function textual(sync: Sync): Promise<undefined> {
  await child(sync, undefined, sync.widget.metadata.annotations ?? {});
  const observedGeneration = String(generationOf(sync.widget));
  if (at(sync.widget, 'status')['observedGeneration'] !== observedGeneration)
    await says(sync, { observedGeneration, conditions: [{ type: 'Available', status: 'True' }] });
}

/** A status that says nothing of generations or conditions. */
async function silent(sync: Sync): Promise<undefined> {
  await child(sync);
  if (at(sync.widget, 'status')['shown'] !== sync.data['color'])
    await says(sync, { shown: sync.data['color'] ?? '' });
}

/** It completes the spec of its own parent first. */
async function completing(sync: Sync): Promise<number | undefined> {
  const { client, widget } = sync;
  if (at(widget, 'spec')['size'] === undefined) {
    await client.patch<KubeObject>(WIDGETS.ref, keyOf(widget), {
      type: 'merge',
      body: { spec: { size: 1 } },
    });
    return 100;
  }
  await child(sync);
  const generation = generationOf(widget);
  const [condition] = (at(widget, 'status')['conditions'] ?? []) as readonly JsonObject[];
  if (condition?.['observedGeneration'] !== generation) await says(sync, ready(generation, 'True'));
  return undefined;
}

const TICKS = 4;
const TICK_MS = 45_000;

/** Children by a timer, one after the other, each as the last one. */
async function timed(sync: Sync): Promise<number | undefined> {
  const { widget } = sync;
  const { tick = 0, of = 0 } = at(widget, 'status') as { readonly tick?: number; readonly of?: number };
  const generation = generationOf(widget);
  const next = of === generation ? tick : 0;
  if (next >= TICKS) return undefined;
  await child(sync, `${widget.metadata.name}-${generation}${next}`);
  await says(sync, {
    ...ready(generation, 'True'),
    observedGeneration: generation,
    of: generation,
    tick: next + 1,
  });
  return TICK_MS;
}

export const STYLES: Readonly<Record<string, Style>> = { late, textual, silent, completing, timed };

/** Whether its status says that its latest change is done. */
export function isDone(widget: Widget): boolean {
  const { style, color } = specOf(widget);
  const status = at(widget, 'status');
  const generation = generationOf(widget);
  const [condition] = (status['conditions'] ?? []) as readonly JsonObject[];
  if (style === 'silent') return status['shown'] === color;
  if (style === 'textual') return status['observedGeneration'] === String(generation);
  return condition?.['observedGeneration'] === generation && condition['status'] === 'True';
}

/** The name of the child that was made last. */
export function latestChildOf(widget: Widget): string {
  const { of = 0, tick = 0 } = at(widget, 'status') as { readonly tick?: number; readonly of?: number };
  const { name } = widget.metadata;
  return specOf(widget).style === 'timed' ? `${name}-${of}${tick - 1}` : name;
}

/** Until ten minutes after its creation, nothing is drift of what says nothing of itself: there, the third is the first. */
function isChanging(version: string, style: string): boolean {
  return version === '3' || (version === '2' && style !== 'silent');
}

/** The controller of Widgets: a version that makes something else of the same spec is released by a ConfigMap. */
export const styledController: Component = {
  name: 'styles',
  async start({ connect, clock, random, signal }: ComponentEnvironment) {
    const [client, judge] = [CONTROLLER, JUDGE].map((user) =>
      createClient(withRetry(connect(user), { clock, random })),
    ) as [Client, Client];
    const manager = createManager({ client, clock, random, log: silentLogger });
    const judged = judgedBy(judge, () => clock.now());
    const everything = () =>
      manager.cache
        .list<KubeObject>(WIDGETS.ref)
        .map(({ metadata }) => ({ namespace: 'default', name: metadata.name }));
    manager.addController({
      name: 'styles',
      sources: [
        watchKind<KubeObject>(WIDGETS.ref),
        watchMapped(VERSIONS, everything),
        watchMapped(CHILDREN, ({ metadata }) => {
          const owner = controllerOf({ metadata });
          return owner === undefined ? [] : [{ namespace: 'default', name: owner.name }];
        }),
      ],
      backoff: { baseMs: 100, maxMs: 20_000 },
      reconciler: {
        async reconcile({ namespace = '', name }) {
          const widget = await ignoreNotFound(client.get<KubeObject>(WIDGETS.ref, { namespace, name }));
          if (widget === undefined) return {};
          const { style: named, color } = specOf(widget);
          const style = STYLES[named] ?? silent;
          const version = manager.cache.get(VERSIONS, VERSION)?.data?.['version'] ?? '1';
          const isNew = isChanging(version, named);
          const data: Data = isNew ? { color, theme: 'dark' } : { color };
          const sync = () => style({ client, widget, data, random });
          return defined({ requeueAfter: await (isNew ? sync() : judged(name, sync)) });
        },
      },
    });
    await manager.start(signal);
  },
};

/** Records a denial that lasts, of what a version does that makes what it has always made. */
function judgedBy(judge: Client, now: () => number) {
  const denied = new Map<string, number>();
  return async <T>(name: string, sync: () => Promise<T>): Promise<T> => {
    try {
      const outcome = await sync();
      denied.delete(name);
      return outcome;
    } catch (error) {
      if (!isForbidden(error)) throw error;
      const since = denied.get(name) ?? now();
      denied.set(name, since);
      if (now() - since > LASTING_MS) await note(judge, name, (error as Error).message);
      throw error;
    }
  };
}

async function note(judge: Client, name: string, message: string): Promise<void> {
  const wrong = { apiVersion: 'v1', kind: 'ConfigMap', metadata: WRONG, data: { [name]: message } } as const;
  await judge.apply(corev1.configmaps, wrong, { fieldManager: JUDGE.username, force: true });
}

export function wronglyDenied(history: History): string | undefined {
  const [first] = history.of('configmaps', WRONG.name);
  return first && `an expected change was denied: ${JSON.stringify((first.object as corev1.ConfigMap).data)}`;
}
