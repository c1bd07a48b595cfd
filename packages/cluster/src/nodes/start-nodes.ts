import { KUBERNETES_VERSION, type UserInfo } from '@kubewright/apiserver';
import { createClient, withUserAgent } from '@kubewright/client';
import { aborted, corev1, defined } from '@kubewright/kube';
import type { Manager } from '@kubewright/runtime';
import { ClusterError } from '../cluster-error.ts';
import { type PartEnvironment, partManager, type RunningPart } from '../part-manager.ts';
import { type Checkpoints, memoryCheckpoints } from './kubelet/checkpoints.ts';
import { createKubeletApi, type KubeletApi } from './kubelet/kubelet-api.ts';
import type { LocalNode } from './local-node.ts';
import { addNodeController, type KeptNode, type NodeController } from './node/node-controller.ts';
import type { NodeFacts } from './node/node-object.ts';
import type { NodeOptions } from './node/node-options.ts';
import { addressText, createAddressPool } from './address-pool.ts';
import { addPodController, type PodController, podsOn } from './pods/pod-controller.ts';
import type { ImageBehaviours } from './runtime/behaviour.ts';
import type { ContainerRuntime } from './runtime/container-runtime.ts';
import { SimulatedRuntime } from './runtime/simulated-runtime.ts';

export type NodesOptions = {
  /** How many, `node-1`, `node-2`, …, or which. */
  readonly nodes: number | readonly NodeOptions[];
  /** How long a node takes from seeing a pod to starting its containers. Default 0. */
  readonly createMs?: number;
  /** How simulated containers behave, by image. */
  readonly behaviours?: ImageBehaviours;
  /** Tried before the simulated one. */
  readonly runtimes?: readonly ContainerRuntime[];
  /** Where the archives of checkpoints go. Default: memory. */
  readonly checkpoints?: Checkpoints;
  /** Between two renewals of a node's Lease. Default 10 s. */
  readonly leaseRenewMs?: number;
  /** Between two status updates of a node to which nothing happens. Default 5 minutes. */
  readonly statusMs?: number;
};

/** What can be done to nodes from outside. Throws for a name that is no node's here. */
export type Nodes = {
  readonly names: readonly string[];
  /** The addresses that were made up for them and their pods, as IPv4 networks. */
  readonly networks: readonly { readonly address: string; readonly prefix: number }[];
  /** The runtimes of the nodes, in the order in which they are asked; their logs are here. */
  readonly runtimes: readonly ContainerRuntime[];
  /** The HTTP API of their kubelets: for `localKubelets`, or `openKubeletServer`. */
  readonly kubelet: KubeletApi;
  /** Archives of checkpoints that the kubelets made. */
  readonly checkpoints: Checkpoints;
  /** The node is cut off: no heartbeats and no statuses of its pods, which run on. */
  lose(name: string): void;
  /** It is back, with the containers that it had. */
  restore(name: string): void;
  /** Its machine starts again: what ran there was killed, and runs again as its restart policy says. */
  reboot(name: string): void;
  /**
   * The node is low on a resource (default `memory`) and makes a pod fail, at once: reason `Evicted`. Throws where no node
   * here has the pod.
   */
  evict(pod: { readonly namespace: string; readonly name: string }, resource?: string): void;
};

/** They are ready when they are registered and follow their pods. */
export type RunningNodes = Nodes & RunningPart;

/**
 * Simulated nodes: they register, send heartbeats, and run the pods that are bound to them as kubelets do, with
 * containers that are simulated or what `runtimes` makes of them. On the embedded server, on any other, in `world/`.
 *
 * @example `startNodes({ nodes: 2, connect: (user) => server.transport(user), signal })`
 */
export function startNodes(options: PartEnvironment & NodesOptions): RunningNodes {
  // One watch for all, in the name of the first.
  const [first = 'node-1'] = nodeOptions(options.nodes).map(({ name }) => name);
  const { manager, connect } = partManager(options, { user: nodeUser(first), program: PROGRAM });
  const nodes = addNodes(manager, { ...options, connect });
  // Without nodes there is no user to watch pods as.
  if (nodes.names.length === 0) return { ...nodes, ready: Promise.resolve(), ended: Promise.resolve() };
  const { signal } = options;
  const ended = manager.start(signal);
  const ready = Promise.all([manager.cache.waitForSync(signal), nodes.waitForSync(signal)]);
  return { ...nodes, ready: ready.then(() => undefined), ended };
}

/** {@link startNodes} as a part of a manager, whose cache it shares. */
export function addNodes(
  manager: Manager,
  options: NodesOptions & Pick<PartEnvironment, 'connect'>,
): Nodes & { readonly waitForSync: (signal: AbortSignal) => Promise<void> } {
  const { clock } = manager;
  const { behaviours, createMs = 0, leaseRenewMs: renewMs = 10_000, statusMs = 300_000 } = options;
  const simulated = new SimulatedRuntime({ clock, ...defined({ behaviours }) });
  manager.add({
    needLeaderElection: false,
    async start(signal) {
      await aborted(signal);
      simulated.close();
    },
  });
  const runtimes = [...(options.runtimes ?? []), simulated];
  const kept = new Map<string, KeptNode>(
    nodeOptions(options.nodes).map((one, index) => {
      const facts = factsOf(one, index);
      const node = localNode(manager, facts, options.connect);
      return [one.name, { node, facts, registered: false }] as const;
    }),
  );
  const local = new Map([...kept].map(([name, { node }]) => [name, node]));
  const heartbeats = addNodeController(manager, kept, { renewMs, statusMs });
  const pods = addPodController(manager, { nodes: local, runtimes, createMs });
  const { checkpoints = memoryCheckpoints() } = options;
  return {
    names: [...kept.keys()],
    networks: nodeOptions(options.nodes).flatMap(networksOf),
    runtimes,
    checkpoints,
    kubelet: kubeletOf(manager, local, { runtimes, checkpoints }),
    waitForSync: (signal) => heartbeats.waitForSync(signal),
    ...handles(local, heartbeats, pods),
  };
}

/** What can be done to nodes. */
function handles(
  nodes: ReadonlyMap<string, LocalNode>,
  heartbeats: NodeController,
  pods: PodController,
): Pick<Nodes, 'lose' | 'restore' | 'reboot' | 'evict'> {
  const find = (name: string): LocalNode => {
    const node = nodes.get(name);
    if (node === undefined) throw new ClusterError('NotFound', `there is no node ${name}`);
    return node;
  };
  return {
    lose: (name) => void (find(name).isDown = true),
    restore(name) {
      find(name).isDown = false;
      heartbeats.look(name);
      pods.resume(name);
    },
    reboot: (name) => pods.crash(find(name).name),
    evict({ namespace, name }, resource = 'memory') {
      const message = `The node was low on resource: ${resource}. `;
      pods.end({ namespace, name }, { reason: 'Evicted', message, isEviction: true });
    },
  };
}

function kubeletOf(
  { cache, clock }: Manager,
  nodes: ReadonlyMap<string, LocalNode>,
  parts: Pick<Nodes, 'runtimes' | 'checkpoints'>,
): KubeletApi {
  return createKubeletApi({
    ...parts,
    clock,
    names: [...nodes.keys()],
    isDown: (name) => nodes.get(name)?.isDown ?? true,
    pod: (namespace, name) => cache.get(corev1.pods, { namespace, name }),
    podsOn: (name) => podsOn(cache, name),
  });
}

function nodeOptions(nodes: NodesOptions['nodes']): readonly NodeOptions[] {
  if (typeof nodes !== 'number') return nodes;
  return Array.from({ length: nodes }, (_, index) => ({ name: `node-${index + 1}` }));
}

/** 10.128.0.0: pods of the nth node are in the nth /20 from here. */
const POD_NETWORK = 0x0a800000;
const POD_NETWORK_SIZE = 1 << 12;
/** 172.18.0.2 is the first node's. */
const NODE_NETWORK = 0xac120002;

function factsOf(options: NodeOptions, index: number): NodeFacts {
  return {
    ...options,
    address: options.address ?? addressText(NODE_NETWORK + index),
    podCIDR: `${addressText(POD_NETWORK + index * POD_NETWORK_SIZE)}/20`,
    runtime: 'simulated://1.0.0',
  };
}

/** An address that somebody has given a node may be real. */
function networksOf(options: NodeOptions, index: number): Nodes['networks'] {
  const { address, podCIDR } = factsOf(options, index);
  const [pods = '', prefix] = podCIDR.split('/');
  return [
    { address: pods, prefix: Number(prefix) },
    ...(options.address === undefined ? [{ address, prefix: 32 }] : []),
  ];
}

/** Who owns the fields that a node writes. */
const PROGRAM = `kubelet/${KUBERNETES_VERSION}`;

function localNode(
  manager: Manager,
  { name, address, podCIDR }: NodeFacts,
  connect: PartEnvironment['connect'],
): LocalNode {
  const own = manager.as(createClient(withUserAgent(connect(nodeUser(name)), PROGRAM)));
  const [a = 0, b = 0, c = 0, d = 0] = podCIDR.split('/', 1)[0]?.split('.').map(Number) ?? [];
  return {
    name,
    address,
    client: own.client,
    recorder: own.recorderFor('kubelet', name),
    addresses: createAddressPool(a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d),
    isDown: false,
  };
}

/** A kubelet, as it is authenticated. */
function nodeUser(name: string): UserInfo {
  return { username: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
}
