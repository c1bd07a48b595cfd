import { ignoreNotFound, isInvalid, isNotFound, keyOf } from '@kubewright/client';
import { compareResourceVersions, corev1, type Stored } from '@kubewright/kube';
import {
  createChannelSource,
  formatRequest,
  type Manager,
  type Request,
  requestFor,
  type Result,
  watchKind,
} from '@kubewright/runtime';
import { ClusterError } from '../../cluster-error.ts';
import type { LocalNode } from '../local-node.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import { act } from './act.ts';
import { decide } from './decide/decide.ts';
import type { PodDecision } from './decide/pod-decision.ts';
import { findMissing, NOTHING_MISSING } from './find-missing.ts';
import { type NeededObjects, neededObjects } from './needed-objects.ts';
import { adoptContainers, observe, runtimeFor } from './observe.ts';
import { podContainers } from './pod-containers.ts';
import { attemptId, type PodEnd, type PodRecord, recordOf } from './pod-record.ts';
import { podStatus } from './status/pod-status.ts';
import { statusPatch } from './status/status-patch.ts';

export type PodControllerOptions = {
  readonly nodes: ReadonlyMap<string, LocalNode>;
  readonly runtimes: readonly ContainerRuntime[];
  readonly createMs: number;
};

export type PodController = {
  /** Looks at the pods of a node again: it is back. */
  resume(node: string): void;
  /** Makes a pod fail, with a message. Throws where no node here has it. */
  end(pod: Request, end: PodEnd): void;
  /** Kills all containers of a node at once. */
  crash(node: string): void;
};

/** Pods of different names are worked on at once. */
const CONCURRENT = 16;
/** Rounds of observing and acting before another pod gets a turn. */
const MOST_ROUNDS = 20;
/** As often as a kubelet writes the statuses that the server does not have. */
const WRITE_AGAIN_MS = 10_000;
const BY_NODE = 'nodeName';

/** The pods that are bound to a node. */
export function podsOn(cache: Manager['cache'], node: string): readonly Stored<corev1.Pod>[] {
  return cache.byIndex(corev1.pods, BY_NODE, node);
}

/** A pod that a node looks after, and what it remembers of it. */
type Kept = {
  readonly node: LocalNode;
  pod: Stored<corev1.Pod>;
  record: PodRecord;
  /** Asked for from outside. */
  end?: PodEnd;
};

/** Runs the pods that are bound to the nodes of this process. One watch of pods serves them all. */
export function addPodController(manager: Manager, options: PodControllerOptions): PodController {
  const { cache } = manager;
  const kept = new Map<string, Kept>();
  const stranded = new Set<Kept>();
  const needed = neededObjects(manager.clock);
  const news = createChannelSource('container runtimes');
  cache.addIndex(corev1.pods, BY_NODE, ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]));
  for (const runtime of options.runtimes) runtime.onChange((pod) => news.send(pod));
  manager.addController({
    name: 'nodes-pods',
    sources: [
      watchKind(corev1.pods, { predicates: [({ object }) => options.nodes.has(object.spec.nodeName ?? '')] }),
      news,
    ],
    maxConcurrentReconciles: CONCURRENT,
    reconciler: { reconcile: (request) => reconcile({ manager, options, kept, stranded, needed }, request) },
  });
  return {
    end(pod, end) {
      const entry = kept.get(formatRequest(pod));
      if (entry === undefined)
        throw new ClusterError('NotFound', `no node here has the pod ${formatRequest(pod)}`);
      const { reason, message } = end;
      entry.node.recorder.record(entry.pod, { type: 'Warning', reason, message });
      entry.end = end;
      news.send(pod);
    },
    crash(name) {
      for (const entry of [...kept.values(), ...stranded].filter(({ node }) => node.name === name)) {
        killAll(options, entry);
        news.send(requestFor(entry.pod));
      }
    },
    resume(name) {
      for (const pod of podsOn(cache, name)) news.send(requestFor(pod));
      for (const { node, pod } of kept.values()) if (node.name === name) news.send(requestFor(pod));
      forgetStranded({ options, stranded }, name);
    },
  };
}

/** Ends all containers of a pod at once. */
function killAll({ runtimes }: PodControllerOptions, { pod, record }: Kept): void {
  for (const { runtime, id } of attemptsOf(runtimes, pod, record)) runtime.stop(id, 0);
}

type Context = {
  readonly manager: Manager;
  readonly options: PodControllerOptions;
  readonly kept: Map<string, Kept>;
  /** Of lost nodes: there are other pods of their names, elsewhere. They are stopped when the node is back. */
  readonly stranded: Set<Kept>;
  readonly needed: NeededObjects;
};

async function reconcile(context: Context, request: Request): Promise<Result> {
  const { manager, options, kept } = context;
  const key = formatRequest(request);
  const pod = manager.cache.get(corev1.pods, request);
  const old = kept.get(key);
  const found = foundOn(options, pod);
  if (old?.node.isDown === true && (found === undefined || isSame(old, pod))) return {};
  if (old !== undefined && !isSame(old, pod)) {
    kept.delete(key);
    leave(context, old);
  }
  if (found === undefined) return {};
  const entry = await keptOf(context, { key, ...found });
  return entry === undefined ? {} : lookAfter(context, entry);
}

function isSame({ record }: Kept, pod: Stored<corev1.Pod> | undefined): boolean {
  return pod?.metadata.uid === record.uid;
}

/** The pod is gone; on a lost node its containers go on. */
function leave(context: Context, old: Kept): void {
  if (old.node.isDown) context.stranded.add(old);
  else forget(context, old);
}

type Found = { readonly key: string; readonly node: LocalNode; readonly pod: Stored<corev1.Pod> };

/** What the node remembers of a pod that it found, and now has it. */
async function keptOf(context: Context, { key, node, pod }: Found): Promise<Kept | undefined> {
  const { kept } = context;
  const known = kept.get(key);
  if (known !== undefined) {
    if (!isOlder(pod, known.pod)) known.pod = pod;
    return known;
  }
  const met = await meet(context, node, pod);
  if (met !== undefined) kept.set(key, met);
  return met;
}

/** A pod that is there, and whose node is. */
function foundOn(
  options: PodControllerOptions,
  pod: Stored<corev1.Pod> | undefined,
): Omit<Found, 'key'> | undefined {
  const node = pod === undefined ? undefined : nodeOf(options, pod);
  return pod === undefined || node === undefined ? undefined : { node, pod };
}

/** The node that looks after a pod, if it is one of ours and there. */
function nodeOf({ nodes }: PodControllerOptions, { spec }: Stored<corev1.Pod>): LocalNode | undefined {
  const node = spec.nodeName === undefined ? undefined : nodes.get(spec.nodeName);
  return node?.isDown === true ? undefined : node;
}

/** The cache may lag behind what the node has read when it met the pod. */
function isOlder({ metadata: a }: Stored<corev1.Pod>, { metadata: b }: Stored<corev1.Pod>): boolean {
  return (compareResourceVersions(a.resourceVersion, b.resourceVersion) ?? 0) < 0;
}

/**
 * A pod that the node has not seen before; or not since it lost its memory. Then all that it did is in the status alone,
 * which the cache of a node that has just been started may not have yet: the server is asked. Undefined for one that is
 * gone by now, of which the watch will tell.
 */
async function meet(
  { manager, options }: Context,
  node: LocalNode,
  cached: Stored<corev1.Pod>,
): Promise<Kept | undefined> {
  const pod = await ignoreNotFound(node.client.get(corev1.pods, keyOf(cached)));
  if (pod === undefined || pod.metadata.uid !== cached.metadata.uid) return undefined;
  const ip = node.addresses.take(pod.status?.podIP);
  const record = recordOf(pod, manager.clock.now(), ip);
  adoptContainers(pod, record, { runtimes: options.runtimes, node: node.name });
  return { node, pod, record };
}

/** Stops what other pods have taken the place of meanwhile. */
function forgetStranded({ options, stranded }: Pick<Context, 'options' | 'stranded'>, name: string): void {
  for (const entry of stranded) {
    if (entry.node.name !== name) continue;
    stranded.delete(entry);
    forget({ options }, entry);
  }
}

/** What is left of a pod that is gone. */
function forget({ options }: Pick<Context, 'options'>, { node, pod, record }: Kept): void {
  node.addresses.release(record.ip);
  for (const { runtime, id } of attemptsOf(options.runtimes, pod, record)) runtime.remove(id);
  for (const { container } of podContainers(pod)) {
    const { number = 0 } = record.containers.get(container.name)?.attempt ?? {};
    const before = attemptId(record.uid, container.name, number - 1);
    if (number > 0) runtimeFor(options.runtimes, pod, container).remove(before);
  }
}

type AttemptOf = { readonly runtime: ContainerRuntime; readonly id: string };

/** The current attempts of a pod's containers, and who has them. */
function attemptsOf(
  runtimes: readonly ContainerRuntime[],
  pod: Stored<corev1.Pod>,
  { containers }: PodRecord,
): readonly AttemptOf[] {
  return podContainers(pod).flatMap(({ container }) => {
    const id = containers.get(container.name)?.attempt?.id;
    return id === undefined ? [] : [{ id, runtime: runtimeFor(runtimes, pod, container) }];
  });
}

/** Looks and acts until there is nothing to do now, then says so in the status. */
async function lookAfter({ manager, options, needed }: Context, entry: Kept): Promise<Result> {
  const { node, pod } = entry;
  const { runtimes, createMs } = options;
  for (const { runtime, id } of attemptsOf(runtimes, pod, entry.record)) runtime.update?.(id, pod);
  const missing = isComplete(entry) ? NOTHING_MISSING : await findMissing(node.client, pod, needed);
  for (let round = 1; ; round++) {
    const { end } = entry;
    const record = end === undefined ? entry.record : { ...entry.record, end };
    const observed = observe(pod, { hostIP: node.address, createMs, record, runtimes, ...missing });
    const now = manager.clock.now();
    const decision = decide(observed, now);
    entry.record = decision.record;
    for (const note of decision.events) node.recorder.record(pod, note);
    await act(decision.actions, entry, runtimes);
    if (decision.actions.length > 0 && round < MOST_ROUNDS) continue;
    const status = podStatus({ ...observed, record: decision.record }, decision.isTerminal, now);
    const isKept = await write(entry, status, decision);
    return again(decision, isKept);
  }
}

/** When to look again: sooner, where the server has not kept the status. */
function again({ requeueAfter }: PodDecision, isKept: boolean): Result {
  const next = isKept ? requeueAfter : Math.min(requeueAfter ?? WRITE_AGAIN_MS, WRITE_AGAIN_MS);
  return next === undefined ? {} : { requeueAfter: next };
}

/** All its containers were started before, or none will be any more: what they are made of is not asked for. */
function isComplete({ pod, record }: Kept): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return true;
  return podContainers(pod).every(
    ({ container }) => record.containers.get(container.name)?.attempt !== undefined,
  );
}

/** False where the server has kept another status: a webhook has undone it, and no event reports that. */
async function write({ node, pod }: Kept, wanted: corev1.PodStatus, decision: PodDecision): Promise<boolean> {
  const { client } = node;
  const body = statusPatch(pod, wanted);
  const { uid, deletionGracePeriodSeconds } = pod.metadata;
  try {
    const written =
      body === undefined
        ? undefined
        : await client.patch(corev1.pods, keyOf(pod), { type: 'strategic', body }, { subresource: 'status' });
    // With a grace period of 0 it goes with its last finalizer.
    if (decision.finished && deletionGracePeriodSeconds !== 0)
      await client.delete(corev1.pods, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
    return written === undefined || statusPatch(written, wanted) === undefined;
  } catch (error) {
    // Gone, or nothing that the server would ever take.
    if (!isNotFound(error) && !isInvalid(error)) throw error;
    return true;
  }
}
