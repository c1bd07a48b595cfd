import { ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, defined, type JsonObject, type Stored } from '@kubewright/kube';
import {
  type CacheEvent,
  type Manager,
  type Reconciler,
  requestFor,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { patchPodStatus } from '../workloads/patch-pod-status.ts';
import { podCondition } from '../workloads/pod-condition.ts';
import { indexByNode, podsOnNode } from '../workloads/pods-on-node.ts';
import { decide } from './decide.ts';
import { TerminatedPods } from './terminated-pods.ts';

/** The service account of `kube-system` that it acts as. */
export const POD_GARBAGE_COLLECTOR = 'pod-garbage-collector';

export type PodGarbageCollectorOptions = {
  /** `--terminated-pod-gc-threshold`: pods that are over and may stay; 0 lets all stay. Default 12500. */
  readonly terminatedThreshold?: number;
  /** How long a node has to be missing before its pods go. Default 40 s. */
  readonly quarantineMs?: number;
};

const CONCURRENT = 5;
const ORPHANED = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
} as const;

/** Removes orphaned pods of nodes that are gone, terminating pods of nodes that are out of service, and terminated pods. */
export function addPodGarbageCollector(manager: Manager, options: PodGarbageCollectorOptions = {}): void {
  const { cache } = manager;
  const { terminatedThreshold = 12_500, quarantineMs = 40_000 } = options;
  indexByNode(cache);
  const terminated = new TerminatedPods(terminatedThreshold, manager.clock);
  manager.addController({
    name: 'pod_gc',
    reconciler: reconcilerOf(manager, terminated, quarantineMs),
    sources: [
      watchKind(corev1.pods, { predicates: [concernsUs] }),
      watchMapped(corev1.nodes, ({ metadata }) => podsOnNode(cache, metadata.name).map(requestFor), {
        predicates: [mayStrand],
      }),
      terminated,
    ],
    maxConcurrentReconciles: CONCURRENT,
  });
}

/** It was placed, or is to end. */
function concernsUs(event: CacheEvent<corev1.Pod>): boolean {
  if (event.type !== 'Update') return event.type === 'Create';
  const { old, object } = event;
  return (
    old.spec.nodeName !== object.spec.nodeName ||
    old.metadata.deletionTimestamp !== object.metadata.deletionTimestamp
  );
}

/** A node comes or goes, or is declared dead. */
function mayStrand(event: CacheEvent<corev1.Node>): boolean {
  if (event.type !== 'Update') return true;
  return (event.object.spec.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/out-of-service');
}

function reconcilerOf(manager: Manager, terminated: TerminatedPods, quarantineMs: number): Reconciler {
  const { cache, client, clock } = manager;
  /** Since when nodes are missing that pods are on. */
  const missing = new Map<string, number>();
  const since = (name: string, node: Stored<corev1.Node> | undefined): number | undefined => {
    if (node !== undefined || name === '') {
      missing.delete(name);
      return undefined;
    }
    const known = missing.get(name) ?? clock.now();
    missing.set(name, known);
    return known;
  };
  return {
    async reconcile(request) {
      const pod = cache.get(corev1.pods, { namespace: '', ...request });
      if (pod === undefined) return {};
      const { nodeName: name = '' } = pod.spec;
      const node = name === '' ? undefined : cache.get(corev1.nodes, { name });
      const observed = { pod, node, orphanedSince: since(name, node), surplus: terminated.isSurplus(pod) };
      const decision = decide(observed, quarantineMs, clock.now());
      if (decision.type === 'wait') return { requeueAfter: decision.ms };
      if (decision.type === 'keep') return {};
      const { orphan } = decision;
      if (orphan && (await ignoreNotFound(client.get(corev1.nodes, { name }))) !== undefined) return {};
      await ignoreNotFound(collect(manager, pod, orphan));
      if (podsOnNode(cache, name).length === 0) missing.delete(name);
      return {};
    },
  };
}

/** A pod whose node cannot say so any more is failed first. */
async function collect({ client, clock }: Manager, pod: Stored<corev1.Pod>, orphan: boolean): Promise<void> {
  const { generation, uid } = pod.metadata;
  if (pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed') {
    const condition = orphan ? podCondition(pod, ORPHANED, clock.now()) : undefined;
    const status: JsonObject = {
      phase: 'Failed',
      ...defined({ observedGeneration: generation }),
      ...(condition === undefined ? {} : { conditions: [condition] }),
    };
    await patchPodStatus(client, pod, status);
  }
  const preconditions = { preconditions: { uid } };
  await client.delete(corev1.pods, keyOf(pod), { gracePeriodSeconds: 0, ...preconditions });
}
