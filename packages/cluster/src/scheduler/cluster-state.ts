import { corev1, jsonEqual, type Stored } from '@kubewright/kube';
import {
  type Cache,
  type CacheEvent,
  formatRequest,
  requestFor,
  type Source,
  type SourceContext,
} from '@kubewright/runtime';
import type { FilterName } from './filters/filter.ts';
import { awaitsNode, isOver, priorityOf } from './awaits-node.ts';
import { NodePods } from './state/node-pods.ts';
import { podInfoOf } from './state/pod-info.ts';
import type { Snapshot } from './state/snapshot.ts';
import { WaitingPods } from './waiting-pods.ts';

/** What a pod that goes leaves to others. */
const FREED: readonly FilterName[] = [
  'NodeResourcesFit',
  'NodePorts',
  'InterPodAffinity',
  'PodTopologySpread',
];
/** What a pod that comes may give to others. */
const COMPANY: readonly FilterName[] = ['InterPodAffinity', 'PodTopologySpread'];

/**
 * What the scheduler knows: nodes with their pods, those that it has just assigned and hears of later, and those that
 * wait. A source of requests: a change of the cluster brings back the pods that it could help, and nothing else does.
 */
export class ClusterState implements Source {
  readonly name = 'watch of nodes and pods';
  readonly waiting: WaitingPods = new WaitingPods();
  readonly #cache: Cache;
  readonly #scheduler: string;
  readonly #placed = new NodePods();
  /** Uids of pods assigned by us that the watch does not show on their node yet. */
  readonly #assumed = new Set<string>();
  #enqueue: SourceContext['enqueue'] = () => undefined;

  constructor(cache: Cache, scheduler: string) {
    this.#cache = cache;
    this.#scheduler = scheduler;
  }

  get snapshot(): Snapshot {
    const { nodes, guarded } = this.#placed;
    const namespaceLabels = (name: string) => this.#cache.get(corev1.namespaces, { name })?.metadata.labels;
    return { nodes, guarded, namespaceLabels };
  }

  start({ cache, enqueue }: SourceContext): () => void {
    this.#enqueue = enqueue;
    const ends = [
      cache.informer(corev1.nodes).addHandler((event) => this.#onNode(event)),
      cache.informer(corev1.pods).addHandler((event) => this.#onPod(event)),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  async waitForSync({ cache }: SourceContext, signal: AbortSignal): Promise<void> {
    const informers = [
      cache.informer(corev1.nodes),
      cache.informer(corev1.pods),
      cache.informer(corev1.namespaces),
    ];
    await Promise.all(informers.map((informer) => informer.waitForSync(signal)));
  }

  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** From now on the pod counts as being on the node. */
  assume(pod: Stored<corev1.Pod>, node: string): void {
    const info = podInfoOf(pod);
    this.#assumed.add(info.uid);
    this.#placed.place(info, node);
  }

  /** The pod could not be assigned; what the cache knows of it by now counts. */
  forget({ metadata }: Stored<corev1.Pod>): void {
    const { uid, namespace, name } = metadata;
    this.#assumed.delete(uid);
    const live = this.#cache.get(corev1.pods, { namespace, name });
    if (live?.metadata.uid === uid && (live.spec.nodeName ?? '') !== '') this.#onAssigned(live);
    else this.#onGone(uid);
  }

  #wake(filters?: readonly FilterName[]): void {
    for (const { request, priority } of this.waiting.helpedBy(filters)) this.#enqueue(request, priority);
  }

  #onNode(event: CacheEvent<corev1.Node>): void {
    const { object } = event;
    if (event.type === 'Delete') {
      this.#placed.removeNode(object.metadata.name);
      return;
    }
    if (event.type === 'Update' && !concernsPods(event.old, object)) return;
    this.#placed.setNode(object);
    this.#wake();
  }

  #onPod(event: CacheEvent<corev1.Pod>): void {
    const { object } = event;
    if (event.type === 'Update' && event.old.metadata.uid !== object.metadata.uid) this.#onLeft(event.old);
    if (event.type === 'Delete' || isOver(object)) this.#onLeft(object);
    else if ((object.spec.nodeName ?? '') !== '') this.#onAssigned(object, event);
    else if (event.type === 'Create' || isNews(event.old, object))
      this.#enqueue(requestFor(object), priorityOf(object));
  }

  #onLeft(pod: Stored<corev1.Pod>): void {
    const { uid } = pod.metadata;
    if (awaitsNode(pod, this.#scheduler)) this.waiting.forget(formatRequest(requestFor(pod)));
    this.#assumed.delete(uid);
    this.#onGone(uid);
  }

  #onGone(uid: string): void {
    if (this.#placed.nodeOf(uid) === undefined) return;
    this.#placed.remove(uid);
    this.#wake(FREED);
  }

  #onAssigned(pod: Stored<corev1.Pod>, event?: CacheEvent<corev1.Pod>): void {
    const { uid } = pod.metadata;
    this.#assumed.delete(uid);
    const known = this.#placed.nodeOf(uid) === pod.spec.nodeName;
    if (known && event?.type === 'Update' && !isNews(event.old, pod)) return;
    this.#placed.place(podInfoOf(pod), pod.spec.nodeName ?? '');
    this.#wake(known ? FREED : COMPANY);
  }
}

/** Whether more than a heartbeat changed. */
function concernsPods(old: Stored<corev1.Node>, node: Stored<corev1.Node>): boolean {
  return (
    !jsonEqual(old.metadata.labels, node.metadata.labels) ||
    !jsonEqual(old.spec, node.spec) ||
    !jsonEqual(old.status?.allocatable, node.status?.allocatable)
  );
}

/** Whether more than its status changed. */
function isNews(old: Stored<corev1.Pod>, pod: Stored<corev1.Pod>): boolean {
  return (
    old.metadata.uid !== pod.metadata.uid ||
    old.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
    !jsonEqual(old.metadata.labels, pod.metadata.labels) ||
    !jsonEqual(old.spec, pod.spec)
  );
}
