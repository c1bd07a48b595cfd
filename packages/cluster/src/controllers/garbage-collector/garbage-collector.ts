import { createClient, discoverResources, type ResourceRef } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import {
  type Backoff,
  backoffDelay,
  type CacheEvent,
  createChannelSource,
  type Manager,
  type Reconciler,
  type Source,
} from '@kubewright/runtime';
import { AbsentOwners } from './absent-owners.ts';
import { act, type Actor, type Outcome } from './act.ts';
import { type Action, decide } from './decide.ts';
import { DependencyGraph, type GraphWork, type MisplacedReference } from './dependency-graph.ts';
import type { NodeWithDependents } from './graph-node.ts';
import { Monitors } from './monitors.ts';
import { formatReference, place } from './object-reference.ts';
import { observe } from './observe.ts';
import type { Observer } from './read-live.ts';

export type GarbageCollectorOptions = {
  /** Calls as the collector's user; the manager's client is used for events only. */
  readonly transport: Transport;
  /** Milliseconds between two looks at what is served, beside those that a definition asks for. Default 30 s. */
  readonly resyncMs?: number;
};

/** The name of its service account in `kube-system`. */
export const GARBAGE_COLLECTOR = 'generic-garbage-collector';

const WORKERS = 20;
/** A write met a newer version of its object. */
const LOOK_AGAIN_MS = 50;
/** A webhook may have undone a write, and no event reports that. */
const AFTER_WRITE_MS = 1000;
/** A webhook undid a write: it is tried again ever more rarely, because the webhook may do so each time. */
const UNDONE = { baseMs: AFTER_WRITE_MS, maxMs: 300_000 };
/** An object that others refer to is not observed yet: it is read from the server until it is, or is absent. */
const UNSEEN = { baseMs: 5, maxMs: 1_000_000 };

/** What it watches is not in the manager's cache. */
export type GarbageCollector = {
  /** Resolves when everything that is served has been listed, when that takes too long, or on abort. */
  readonly waitForSync: (signal: AbortSignal) => Promise<void>;
};

/** Adds the garbage collector to a manager that is not started yet. */
export function addGarbageCollector(manager: Manager, options: GarbageCollectorOptions): GarbageCollector {
  const { clock, random, log } = manager;
  const client = createClient(options.transport, { metadataOnly: true });
  const graph = new DependencyGraph();
  const queue = createChannelSource('dependency graph');
  const report = reporter(manager);
  const onWork = ({ attempts, misplaced }: GraphWork): void => {
    for (const uid of attempts) queue.send({ name: uid });
    misplaced.forEach(report);
  };
  const monitors = new Monitors({
    client,
    discover: (signal) => discoverResources(options.transport, signal),
    clock,
    random,
    log,
    resyncMs: options.resyncMs ?? 30_000,
    onEvent: (ref, event) => onWork(applyEvent(graph, ref, event)),
  });
  const observer: Observer = {
    client,
    absent: new AbsentOwners(),
    resources: () => monitors.resources(),
  };
  const waitForSync = (signal: AbortSignal): Promise<void> => monitors.waitForSync(signal);
  const source: Source = { ...queue, waitForSync: (_context, signal) => waitForSync(signal) };
  manager.add(monitors);
  manager.addController({
    name: 'garbage-collector',
    sources: [source],
    reconciler: reconciler(observer, { client, graph, onWork }),
    maxConcurrentReconciles: WORKERS,
  });
  return { waitForSync };
}

function applyEvent(graph: DependencyGraph, ref: ResourceRef, { type, object }: CacheEvent): GraphWork {
  const identity = place(ref, object);
  return type === 'Delete' ? graph.remove(identity.uid) : graph.observe(identity, object);
}

function reconciler(observer: Observer, actor: Actor): Reconciler {
  const { graph } = actor;
  const unseen = growingWaits(UNSEEN);
  const undone = growingWaits(UNDONE);
  const requeueUnseen = (uid: string): { readonly requeueAfter?: number } => {
    const node = graph.get(uid);
    if (node === undefined) undone.forget(uid);
    if (node !== undefined && !node.observed) return { requeueAfter: unseen.next(uid) };
    unseen.forget(uid);
    return {};
  };
  return {
    async reconcile({ name: uid }) {
      const before = graph.get(uid);
      if (before === undefined || isLeftToOthers(before)) return requeueUnseen(uid);
      const observation = await observe(before, observer);
      // While the server was asked, the graph may have learned more.
      const node = graph.get(uid);
      if (node === undefined || !isAsBefore(node, before)) return requeueUnseen(uid);
      const { actions, again } = decide(node, observation);
      const outcome = await carryOut(actions, actor);
      if (outcome === 'undone') return { requeueAfter: undone.next(uid) };
      if (outcome === 'stale') return { requeueAfter: LOOK_AGAIN_MS };
      undone.forget(uid);
      if (actions.some(({ type }) => type === 'patch')) return { requeueAfter: AFTER_WRITE_MS };
      return again === true ? { requeueAfter: LOOK_AGAIN_MS } : requeueUnseen(uid);
    },
  };
}

/** Waits that grow with each look in a row at the same object. */
function growingWaits(backoff: Backoff): { next(uid: string): number; forget(uid: string): void } {
  const looks = new Map<string, number>();
  return {
    next(uid) {
      const count = (looks.get(uid) ?? 0) + 1;
      looks.set(uid, count);
      return backoffDelay(backoff, count);
    },
    forget: (uid) => void looks.delete(uid),
  };
}

/** Stops at the first write that did not come about. */
async function carryOut(actions: readonly Action[], actor: Actor): Promise<Outcome> {
  for (const action of actions) {
    const outcome = await act(action, actor);
    if (outcome !== 'done') return outcome;
  }
  return 'done';
}

/** It goes when others have removed their finalizers. */
function isLeftToOthers({ deleting, deletingDependents, orphaning }: NodeWithDependents): boolean {
  return deleting && !deletingDependents && !orphaning;
}

/** What changed in these is looked at again anyway, and other things have to be observed for it. */
function isAsBefore(node: NodeWithDependents, before: NodeWithDependents): boolean {
  return node.orphaning === before.orphaning && node.deletingDependents === before.deletingDependents;
}

function reporter(manager: Manager): (reference: MisplacedReference) => void {
  const recorder = manager.recorderFor('garbage-collector-controller');
  return ({ dependent, owner }) => {
    const { apiVersion, kind, namespace, name, uid } = dependent;
    const metadata = { name, uid, ...(namespace === '' ? {} : { namespace }) };
    const message = `ownerRef ${formatReference(owner)} does not exist in namespace ${JSON.stringify(namespace)}`;
    const note = { type: 'Warning', reason: 'OwnerRefInvalidNamespace', message } as const;
    recorder.record({ apiVersion, kind, metadata }, note);
  };
}
