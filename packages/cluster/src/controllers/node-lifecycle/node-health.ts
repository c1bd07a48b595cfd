import { coordinationv1, corev1, parseTime, type Stored } from '@kubewright/kube';
import {
  type CacheEvent,
  type Manager,
  partOf,
  requestFor,
  type Source,
  type SourceContext,
} from '@kubewright/runtime';
import { readyCondition } from './unknown-conditions.ts';

/** The Leases by which kubelets say that they are alive. */
const NODE_LEASES = partOf(coordinationv1.leases, 'nodes', { namespace: 'kube-node-lease' });

/**
 * When each node was last heard, by this process's clock: those of the nodes may be off. A heartbeat asks for nothing, it
 * only lets a node be silent for longer; a node that is ready or no more asks for all of them.
 */
export class NodeHealth implements Source {
  readonly name = 'heartbeats of nodes';
  readonly #clock: Manager['clock'];
  readonly #heard = new Map<string, number>();

  constructor(clock: Manager['clock']) {
    this.#clock = clock;
  }

  /** A node is heard for the first time when it is first seen; one that never said a word, when it was made. */
  heard({ metadata, status }: Stored<corev1.Node>): number {
    const { name, creationTimestamp } = metadata;
    const known = this.#heard.get(name);
    if (known !== undefined) return known;
    const silent = readyCondition(status?.conditions) === undefined;
    const since =
      silent && typeof creationTimestamp === 'string' ? parseTime(creationTimestamp).getTime() : undefined;
    const heard = since ?? this.#clock.now();
    this.#heard.set(name, heard);
    return heard;
  }

  /** All nodes count as heard now: it was not they who were silent. */
  hearAll(): void {
    for (const name of this.#heard.keys()) this.#heard.set(name, this.#clock.now());
  }

  forget(name: string): void {
    this.#heard.delete(name);
  }

  start({ cache, enqueue }: SourceContext): () => void {
    const ends = [
      cache.informer(corev1.nodes).addHandler((event) => {
        this.#onNode(event);
        if (isTurn(event)) for (const node of cache.list(corev1.nodes)) enqueue(requestFor(node));
      }),
      cache.informer(NODE_LEASES).addHandler((event) => {
        const { name } = event.object.metadata;
        if (event.type !== 'Delete' && isRenewed(event)) this.#heard.set(name, this.#clock.now());
        // Leases may outlive their nodes, and be called after none.
        if (event.type === 'Delete' && cache.get(corev1.nodes, { name }) === undefined) this.forget(name);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  async waitForSync({ cache }: SourceContext, signal: AbortSignal): Promise<void> {
    await cache.informer(NODE_LEASES).waitForSync(signal);
  }

  #onNode(event: CacheEvent<corev1.Node>): void {
    if (event.type !== 'Update') return;
    const [before, after] = [event.old, event.object].map(({ status }) => readyCondition(status?.conditions));
    if (after !== undefined && before?.lastHeartbeatTime !== after.lastHeartbeatTime)
      this.#heard.set(event.object.metadata.name, this.#clock.now());
  }
}

/** A node is ready that was not, or is no more: how many there are decides about all of them. */
function isTurn(event: CacheEvent<corev1.Node>): boolean {
  if (event.type !== 'Update') return event.type === 'Delete';
  const [before, after] = [event.old, event.object].map(({ status }) => readyCondition(status?.conditions));
  return before?.status !== after?.status;
}

function isRenewed(event: CacheEvent<coordinationv1.Lease>): boolean {
  return event.type !== 'Update' || event.object.spec.renewTime !== event.old.spec.renewTime;
}
