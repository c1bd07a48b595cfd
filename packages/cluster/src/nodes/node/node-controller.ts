import { isAlreadyExists, isConflict, isNotFound } from '@kubewright/client';
import { aborted, coordinationv1, corev1, defined, type Json, type Stored } from '@kubewright/kube';
import { createChannelSource, type Manager, type Result, watchKind } from '@kubewright/runtime';
import type { LocalNode } from '../local-node.ts';
import { decideNode, type NodeTimes } from './decide-node.ts';
import { LEASE_NAMESPACE, type NodeFacts, nodeLease, nodeObject } from './node-object.ts';

/** A node of this process, and what it remembers of itself. */
export type KeptNode = {
  readonly node: LocalNode;
  readonly facts: NodeFacts;
  registered: boolean;
  lease?: Stored<coordinationv1.Lease>;
  /** By the steady clock. */
  renewedAt?: number;
};

export type NodeController = {
  /** Looks at a node now. */
  look(name: string): void;
  /** Resolves when all nodes are registered, or when `signal` is aborted. */
  waitForSync(signal: AbortSignal): Promise<void>;
};

const CONCURRENT = 4;
/** A Lease is good for four renewals, as kubelet has it: 40 s for 10 s. */
const RENEWALS = 4;

/** Keeps the Node objects and the Leases of the nodes of this process. */
export function addNodeController(
  manager: Manager,
  nodes: ReadonlyMap<string, KeptNode>,
  times: NodeTimes,
): NodeController {
  let resolveRegistered: () => void = () => undefined;
  const registered = new Promise<void>((resolve) => {
    resolveRegistered = resolve;
  });
  const calls = createChannelSource('nodes of this process');
  for (const name of nodes.keys()) calls.send({ name });
  manager.addController({
    name: 'nodes',
    sources: [
      watchKind(corev1.nodes, { predicates: [({ object }) => nodes.has(object.metadata.name)] }),
      calls,
    ],
    maxConcurrentReconciles: CONCURRENT,
    reconciler: {
      async reconcile({ name }) {
        const kept = nodes.get(name);
        if (kept === undefined || kept.node.isDown) return {};
        const result = await keep(manager, kept, times);
        if ([...nodes.values()].every((one) => one.registered)) resolveRegistered();
        return result;
      },
    },
  });
  return {
    look: (name) => calls.send({ name }),
    waitForSync: (signal) => Promise.race([registered, aborted(signal)]),
  };
}

async function keep(manager: Manager, kept: KeptNode, times: NodeTimes): Promise<Result> {
  const { node, facts, registered, renewedAt } = kept;
  const live = manager.cache.get(corev1.nodes, { name: node.name });
  const { clock } = manager;
  const now = clock.now();
  const sinceRenewal = renewedAt === undefined ? undefined : clock.monotonic() - renewedAt;
  const decision = decideNode({ facts, live, registered, sinceRenewal, times }, now);
  if (decision.register) await register(kept, now);
  else kept.registered ||= live !== undefined;
  if (decision.status !== undefined && live !== undefined) await writeStatus(kept, live, decision.status);
  if (decision.renew && live !== undefined) {
    kept.lease = await renew(kept, live, { now, durationSeconds: (times.renewMs * RENEWALS) / 1000 });
    kept.renewedAt = clock.monotonic();
  }
  const { requeueAfter } = decision;
  return defined({ requeueAfter });
}

async function register(kept: KeptNode, now: number): Promise<void> {
  const { node, facts } = kept;
  try {
    const created = await node.client.create(corev1.nodes, nodeObject(facts, now));
    node.recorder.record(created, { type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' });
  } catch (error) {
    // It comes back with a Node that it had before; the cache has not seen it yet.
    if (!isAlreadyExists(error)) throw error;
  }
  kept.registered = true;
}

/** Labels of its own, too, which a node that comes back may have lost. */
async function writeStatus(
  { node }: KeptNode,
  live: Stored<corev1.Node>,
  wanted: corev1.NodeStatus,
): Promise<void> {
  const { name } = node;
  const body = { status: wanted };
  const { uid } = live.metadata;
  const guarded: Json = { metadata: { uid }, ...body };
  await node.client.patch(
    corev1.nodes,
    { name },
    { type: 'strategic', body: guarded },
    { subresource: 'status' },
  );
}

type Renewal = Parameters<typeof nodeLease>[2];

/** Resolves to the Lease as stored. Changes of other clients are kept. */
async function renew(
  { node, lease }: KeptNode,
  live: Stored<corev1.Node>,
  renewal: Renewal,
): Promise<Stored<coordinationv1.Lease>> {
  const { client, name } = node;
  const { leases } = coordinationv1;
  const key = { namespace: LEASE_NAMESPACE, name };
  try {
    if (lease === undefined) return await client.create(leases, nodeLease(live, undefined, renewal));
    return await client.update(leases, nodeLease(live, lease, renewal));
  } catch (error) {
    if (isNotFound(error)) return client.create(leases, nodeLease(live, undefined, renewal));
    if (!isAlreadyExists(error) && !isConflict(error)) throw error;
    return client.update(leases, nodeLease(live, await client.get(leases, key), renewal));
  }
}
