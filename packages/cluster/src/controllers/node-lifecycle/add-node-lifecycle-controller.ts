import { corev1, jsonEqual, type Stored } from '@kubewright/kube';
import { type CacheEvent, type Manager, type Reconciler, watchKind, watchMapped } from '@kubewright/runtime';
import { indexByNode, podsOnNode } from '../workloads/pods-on-node.ts';
import { soonest, UNDONE_MS } from '../workloads/undone-wait.ts';
import { markUnready, writeNode } from './write-node.ts';
import { decide, type NodeDecision, type Observed } from './decide.ts';
import { isAllLost } from './eviction-rate.ts';
import { createLimiter, type LimiterOptions } from './limiter.ts';
import { NodeHealth } from './node-health.ts';
import { createNodeEvents } from './node-events.ts';
import { readyCondition } from './unknown-conditions.ts';

/** The service account of `kube-system` that it acts as. */
export const NODE_CONTROLLER = 'node-controller';

/** Of kube-controller-manager's flags, with its defaults. */
export type NodeLifecycleOptions = LimiterOptions & {
  /** `--node-monitor-grace-period`. Default 50 s. */
  readonly monitorGraceMs?: number;
  /** `--node-startup-grace-period`. Default 60 s. */
  readonly startupGraceMs?: number;
};

const CONCURRENT = 8;

/** Notes which nodes are silent, and taints those that pods should keep away from, or leave. */
export function addNodeLifecycleController(manager: Manager, options: NodeLifecycleOptions = {}): void {
  const { cache, clock } = manager;
  indexByNode(cache);
  const health = new NodeHealth(clock);
  manager.addController({
    name: 'node_lifecycle',
    reconciler: reconcilerOf(manager, health, options),
    sources: [
      health,
      watchKind(corev1.nodes, { predicates: [isMore] }),
      watchMapped(corev1.pods, ({ spec }) => (spec.nodeName === undefined ? [] : [{ name: spec.nodeName }]), {
        predicates: [isAssignment],
      }),
    ],
    maxConcurrentReconciles: CONCURRENT,
  });
}

/** Whether there is more than a heartbeat in it. */
function isMore(event: CacheEvent<corev1.Node>): boolean {
  if (event.type !== 'Update') return true;
  const { old, object } = event;
  const states = ({ status }: Stored<corev1.Node>) =>
    (status?.conditions ?? []).map((one) => [one.type, one.status]);
  return (
    !jsonEqual(old.spec, object.spec) ||
    !jsonEqual(old.metadata.labels, object.metadata.labels) ||
    !jsonEqual(states(old), states(object))
  );
}

function isAssignment(event: CacheEvent<corev1.Pod>): boolean {
  if (event.type === 'Delete' || event.object.spec.nodeName === undefined) return false;
  return event.type === 'Create' || event.old.spec.nodeName !== event.object.spec.nodeName;
}

function reconcilerOf(manager: Manager, health: NodeHealth, options: NodeLifecycleOptions): Reconciler {
  const { cache, client, clock } = manager;
  const limits = createLimiter(options);
  const events = createNodeEvents(manager);
  const observe = observer(manager, health, options);
  return {
    async reconcile({ name }) {
      const node = cache.get(corev1.nodes, { name });
      events.seen(name, node);
      if (node === undefined) {
        health.forget(name);
        return {};
      }
      const observed = observe(node);
      const decision = decide({ ...observed, emptyFrom: limits.next(node, observed.nodes) }, clock.now());
      if (decision.empties) limits.take(node, clock.now());
      await writeNode(client, node, decision);
      for (const note of decision.events) events.of(node, note);
      for (const pod of decision.unready) {
        if (await markUnready(client, pod, clock.now()))
          events.of(pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
      }
      return soonest(decision.requeueAfter, writes(decision) ? UNDONE_MS : undefined);
    },
  };
}

/** After an update that a webhook has undone, no event follows but heartbeats. */
function writes({ conditions, taints, labels, unready }: NodeDecision): boolean {
  return (conditions ?? taints ?? labels ?? unready[0]) !== undefined;
}

function observer(
  { cache }: Manager,
  health: NodeHealth,
  { monitorGraceMs = 50_000, startupGraceMs = 60_000 }: NodeLifecycleOptions,
): (node: Stored<corev1.Node>) => Omit<Observed, 'emptyFrom'> {
  let wasLost = false;
  return (node) => {
    const nodes = cache.list(corev1.nodes);
    const allLost = isAllLost(nodes);
    if (wasLost && !allLost) health.hearAll();
    wasLost = allLost;
    const began = readyCondition(node.status?.conditions) !== undefined;
    return {
      node,
      nodes,
      heard: health.heard(node),
      graceMs: began ? monitorGraceMs : startupGraceMs,
      pods: podsOnNode(cache, node.metadata.name),
    };
  };
}
