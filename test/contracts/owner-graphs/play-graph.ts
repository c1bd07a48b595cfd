import assert from 'node:assert/strict';
import { isJsonArray, type Json, type JsonObject, type Transport } from '@kubewright/kube';
import { vi } from 'vitest';
import { call, PATCH } from '../../support/api.ts';
import type { GraphObject, GraphStep, OwnerGraph, OwnerSpec } from './graph.ts';
import { collectionOf, KINDS } from './graph-kinds.ts';
import type { GraphEvent, Metadata } from './live-parts.ts';

/** How a graph ended. Names as the graph has them; uids, times and versions are left out. */
export type EndState = {
  readonly left: readonly string[];
  /** `reason: message` of events about its objects. */
  readonly events: readonly string[];
  /** Of its namespaces, by their conditions. */
  readonly namespaces: JsonObject;
};

/** As long as controllers may take for what they have to do. */
const PATIENCE = { timeout: 90_000, interval: 50 };

/** Plays one graph in namespaces of its own, until what is expected is left and the controllers are done. */
export async function playGraph(transport: Transport, graph: OwnerGraph, prefix: string): Promise<EndState> {
  const player = new Player(transport, prefix);
  await player.prepare();
  for (const object of graph.objects) await player.create(object);
  for (const step of graph.steps) {
    await player.fence();
    await player.take(step);
  }
  await player.settle(graph);
  const end = await player.endState();
  await player.cleanUp();
  return end;
}

class Player {
  readonly #transport: Transport;
  readonly #prefix: string;
  readonly #objects = new Map<string, GraphObject>();
  readonly #uids = new Map<string, string>();
  #fences = 0;

  constructor(transport: Transport, prefix: string) {
    this.#transport = transport;
    this.#prefix = prefix;
  }

  async prepare(): Promise<void> {
    for (const suffix of ['a', 'b', 'fence']) {
      const metadata = { name: this.#namespace(suffix) };
      await this.#call('POST', '/api/v1/namespaces', { metadata });
    }
  }

  async create(object: GraphObject): Promise<void> {
    const { kind = 'ConfigMap', name, owners = [], finalizers = [], node } = object;
    const info = KINDS[kind];
    const metadata = {
      name: this.#name(object),
      labels: { root: String(owners.length === 0) },
      ownerReferences: owners.map((owner) => this.#reference(owner)),
      finalizers: [...finalizers],
    };
    const body =
      node === undefined
        ? info.body
        : {
            spec: {
              ...(info.body['spec'] as JsonObject),
              nodeName: node,
              terminationGracePeriodSeconds: 600,
            },
          };
    const created = await this.#call('POST', this.#collection(object), {
      apiVersion: info.apiVersion,
      kind,
      metadata,
      ...body,
    });
    this.#objects.set(name, object);
    this.#uids.set(name, (created['metadata'] as Metadata).uid);
  }

  async take(step: GraphStep): Promise<void> {
    if ('create' in step) return this.create(step.create);
    if ('release' in step) return this.#patch(step.release, { finalizers: null });
    if ('own' in step) {
      return this.#patch(step.own, { ownerReferences: step.by.map((owner) => this.#reference(owner)) });
    }
    const { propagation } = step;
    const options = propagation === undefined ? {} : { propagationPolicy: propagation };
    if ('deleteNamespace' in step) {
      await this.#call('DELETE', `/api/v1/namespaces/${this.#namespace(step.deleteNamespace)}`, options);
    } else if ('deleteCollection' in step) {
      const collection = collectionOf(KINDS.ConfigMap, this.#namespace('a'));
      await this.#call('DELETE', `${collection}?labelSelector=root%3Dtrue`, options);
    } else if ('deleteAll' in step) {
      await Promise.all(step.deleteAll.map((name) => this.#call('DELETE', this.#path(name), options)));
    } else {
      const { orphanDependents } = step;
      const legacy = orphanDependents === undefined ? {} : { orphanDependents };
      await this.#call('DELETE', this.#path(step.delete), { ...options, ...legacy });
    }
  }

  /** Work comes out of the queue as it went in: when this is collected, what was there before has been looked at. */
  async fence(): Promise<void> {
    const name = `fence-${this.#prefix}-${(this.#fences += 1)}`;
    const roles = collectionOf(KINDS.ClusterRole, '');
    const role = await this.#call('POST', roles, { metadata: { name }, rules: [] });
    const { apiVersion } = KINDS.ClusterRole;
    const owner = {
      apiVersion,
      kind: 'ClusterRole',
      name,
      uid: (role['metadata'] as Metadata).uid,
    };
    const metadata = { name, ownerReferences: [owner] };
    const kinds = new Set([...this.#objects.values()].map(({ kind = 'ConfigMap' }) => kind));
    const paths: string[] = [];
    for (const kind of kinds) {
      const { apiVersion: version, body } = KINDS[kind];
      const collection = collectionOf(KINDS[kind], this.#namespace('fence'));
      const own = kind === 'ClusterRole' ? `${name}-dependent` : name;
      await this.#call('POST', collection, {
        apiVersion: version,
        kind,
        ...body,
        metadata: { ...metadata, name: own },
      });
      paths.push(`${collection}/${own}`);
    }
    await this.#call('DELETE', `${roles}/${name}`);
    await vi.waitFor(async () => {
      for (const path of paths) if ((await this.#get(path)) !== undefined) assert.fail(`${path} is left`);
    }, PATIENCE);
  }

  /** Waits for what is expected, and then for a fence, so that nothing more is under way. */
  async settle(graph: OwnerGraph): Promise<void> {
    const expected = graph.left.toSorted().join(' ');
    await vi.waitFor(async () => {
      const { left, events, namespaces } = await this.endState();
      assert(left.join(' ') === expected, `left: ${left.join(' ')}\nexpected: ${expected}`);
      for (const name of graph.reported ?? [])
        if (!events.some((event) => event.endsWith(` about ${name}`))) assert.fail(`${name} is not reported`);
      const there = Object.entries(namespaces)
        .map(([name, conditions]) =>
          isJsonArray(conditions) && conditions.length > 0 ? name : `${name}, untold`,
        )
        .join();
      const wanted = (graph.ending ?? []).join();
      assert(there === wanted, `namespaces being deleted: ${there}\nexpected: ${wanted}`);
    }, PATIENCE);
    await this.fence();
  }

  async endState(): Promise<EndState> {
    const left: string[] = [];
    for (const name of this.#objects.keys()) {
      const object = await this.#get(this.#path(name));
      const metadata = object?.['metadata'] as Metadata | undefined;
      // Another one under the same name is not the one that was.
      if (metadata?.uid === this.#uids.get(name)) left.push(name + (await this.#marks(metadata as Metadata)));
    }
    return {
      left: left.toSorted(),
      events: await this.#events(),
      namespaces: await this.#endingNamespaces(),
    };
  }

  /** Takes away what would hold anything. What waits for nobody is left to the end of the server. */
  async cleanUp(): Promise<void> {
    for (const name of this.#objects.keys()) {
      const path = this.#path(name);
      await call(this.#transport, 'PATCH', path, { metadata: { finalizers: null } }, PATCH.merge);
      await call(this.#transport, 'DELETE', path, { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
    }
  }

  async #marks({ deletionTimestamp, ownerReferences = [], finalizers = [] }: Metadata): Promise<string> {
    const owners: string[] = [];
    for (const { uid } of ownerReferences) owners.push(await this.#ownerName(uid));
    return [
      deletionTimestamp === undefined ? '' : '!',
      owners.length === 0 ? '' : `(${owners.join()})`,
      finalizers.length === 0 ? '' : `[${finalizers.join()}]`,
    ].join('');
  }

  /** `gone` once it is not there any more, `?` when the graph never had it. */
  async #ownerName(uid: string): Promise<string> {
    const name = [...this.#uids].find(([, known]) => known === uid)?.[0];
    if (name === undefined) return '?';
    const object = await this.#get(this.#path(name));
    return (object?.['metadata'] as Metadata | undefined)?.uid === uid ? name : 'gone';
  }

  async #events(): Promise<readonly string[]> {
    const found = new Set<string>();
    for (const namespace of [this.#namespace('a'), this.#namespace('b'), 'default']) {
      const list = await this.#get(`/api/v1/namespaces/${namespace}/events`);
      const items = list?.['items'];
      for (const event of (isJsonArray(items) ? items : []) as GraphEvent[]) {
        const name = [...this.#uids].find(([, uid]) => uid === event.involvedObject.uid)?.[0];
        if (name !== undefined)
          found.add(`${event.type} ${event.reason}: ${this.#anonymous(event.message)} about ${name}`);
      }
    }
    return [...found].toSorted();
  }

  async #endingNamespaces(): Promise<JsonObject> {
    const ending: Record<string, Json> = {};
    for (const suffix of ['a', 'b'] as const) {
      const namespace = await this.#get(`/api/v1/namespaces/${this.#namespace(suffix)}`);
      const status = namespace?.['status'] as
        | { phase?: string; conditions?: readonly JsonObject[] }
        | undefined;
      if (status?.phase !== 'Terminating') continue;
      // Nothing is told before the controller has looked.
      ending[suffix] = (status.conditions ?? []).map(
        ({ lastTransitionTime: _time, ...condition }) => condition,
      );
    }
    return ending;
  }

  #anonymous(text: string): string {
    const named = [...this.#uids].reduce((part, [name, uid]) => part.replaceAll(uid, `uid-of-${name}`), text);
    return named.replaceAll(`${this.#prefix}-`, '');
  }

  #namespace(suffix: string): string {
    return `${this.#prefix}-${suffix}`;
  }

  #name({ name, kind = 'ConfigMap' }: GraphObject): string {
    return KINDS[kind].namespaced ? name : `${this.#prefix}-${name}`;
  }

  #object(name: string): GraphObject {
    const object = this.#objects.get(name);
    assert(object !== undefined, `the graph has no ${name}`);
    return object;
  }

  #collection({ kind = 'ConfigMap', namespace = 'a' }: GraphObject): string {
    return collectionOf(KINDS[kind], this.#namespace(namespace));
  }

  #path(name: string): string {
    const object = this.#object(name);
    return `${this.#collection(object)}/${this.#name(object)}`;
  }

  #reference(owner: string | OwnerSpec): JsonObject {
    const spec: OwnerSpec = typeof owner === 'string' ? { to: owner } : owner;
    const { to, block, uid = this.#uids.get(to), kind, name, apiVersion } = spec;
    // A false reference may be to an object that is only about to be.
    const target = this.#objects.get(to) ?? { name: to };
    const own = target.kind ?? 'ConfigMap';
    return {
      apiVersion: apiVersion ?? KINDS[own].apiVersion,
      kind: kind ?? own,
      name: name ?? this.#name(target),
      uid: uid ?? '',
      ...(block === undefined ? {} : { blockOwnerDeletion: block }),
    };
  }

  async #patch(name: string, metadata: JsonObject): Promise<void> {
    const answer = await call(this.#transport, 'PATCH', this.#path(name), { metadata }, PATCH.merge);
    assert(answer.status <= 299, `PATCH of ${name}: ${JSON.stringify(answer.body)}`);
  }

  async #get(path: string): Promise<JsonObject | undefined> {
    const { status, body } = await call(this.#transport, 'GET', path);
    return status === 200 ? body : undefined;
  }

  async #call(method: 'POST' | 'DELETE', path: string, body?: Json): Promise<JsonObject> {
    const answer = await call(this.#transport, method, path, body);
    assert(answer.status <= 299, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}
