import type { Clock } from '@kubewright/client';
import type { ContainerRuntime, ContainerStart, ContainerState, LogLine } from '@kubewright/cluster';
import {
  type CheckpointOrder,
  type CheckpointState,
  type InProcessBroker,
  type NodeAgents,
  OperatorError,
} from '@kubewright/operators';
import type { ConsumerState } from './consumer-state.ts';
import type { LossOfNodes } from './loss-of-nodes.ts';
import { type Memory, OriginalProcess } from './original-process.ts';

type Options = { readonly broker: InProcessBroker; readonly clock: Clock; readonly applyMs: number };
type Running = {
  readonly start: ContainerStart;
  readonly process: OriginalProcess;
  readonly stop: AbortController;
  status: ContainerState;
};
type Listener = (pod: { readonly namespace: string; readonly name: string }) => void;

const IMAGE = 'original';
/** What an agent takes for a checkpoint and its transfer. */
const CHECKPOINT_MS = 800;

/** Containers that are consumers of the original system, and the agents that checkpoint them. */
export class OriginalRuntime implements ContainerRuntime {
  readonly scheme = 'original';
  readonly #options: Options;
  readonly #containers = new Map<string, Running>();
  readonly #checkpoints = new Map<string, CheckpointState>();
  readonly #images = new Map<string, Memory>();
  readonly #orders = new Map<string, CheckpointOrder>();
  /** Checkpoints of which the target node has an image. */
  readonly #copies = new Set<string>();
  readonly #lostNodes = new Set<string>();
  readonly #lost: Running[] = [];
  readonly #listeners = new Set<Listener>();
  #made = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  statesOf(queue: string): readonly ConsumerState[] {
    return [...this.#containers.values()]
      .filter(({ start, status }) => queueOf(start) === queue && status.type === 'running')
      .map(({ process }) => process.state);
  }

  lostStatesOf(queue: string): readonly ConsumerState[] {
    return this.#lost.filter(({ start }) => queueOf(start) === queue).map(({ process }) => process.state);
  }

  /** Its agent does not respond. Without power the processes on it are gone; for good, also what its agent had. */
  lose(node: string, of: LossOfNodes['of']): void {
    this.#lostNodes.add(node);
    if (of !== 'network') this.#end(node);
    for (const [id, order] of of === 'power' ? this.#orders : []) {
      if (order.node === node) this.#checkpoints.delete(id);
      if (order.targetNode === node) this.#copies.delete(id);
    }
  }

  restore(node: string): void {
    this.#lostNodes.delete(node);
  }

  #end(node: string): void {
    for (const running of this.#containers.values()) {
      const { start, status, stop } = running;
      if (start.pod.spec.nodeName !== node || status.type !== 'running') continue;
      this.#lost.push(running);
      stop.abort();
    }
  }

  /** Checkpoints, and images of them, that the agents still have. */
  get checkpoints(): readonly string[] {
    return [...this.#checkpoints.keys(), ...this.#copies];
  }

  readonly agents: NodeAgents = {
    facts: async () => ({ arch: 'amd64', cgroup: 'v2', kernel: '6.12', criu: '4.1' }),
    begin: async (order) => {
      this.#requireAgent(order.node);
      if (this.#checkpoints.has(order.id)) return;
      this.#orders.set(order.id, order);
      this.#checkpoints.set(order.id, { phase: 'Running', message: 'the kubelet makes a checkpoint' });
      this.#options.clock.after(CHECKPOINT_MS, () => this.#checkpoint(order));
    },
    get: async ({ id, node }) => {
      this.#requireAgent(node);
      return this.#checkpoints.get(id);
    },
    remove: async ({ id, node, targetNode }) => {
      if (!this.#lostNodes.has(node)) this.#checkpoints.delete(id);
      if (!this.#lostNodes.has(targetNode)) this.#copies.delete(id);
      this.#requireAgent(node);
      this.#requireAgent(targetNode);
    },
  };

  #requireAgent(node: string): void {
    if (this.#lostNodes.has(node))
      throw new OperatorError('Unavailable', `the agent of ${node} does not respond`);
  }

  #checkpoint({ id, pod, image, targetNode }: CheckpointOrder): void {
    if (!this.#checkpoints.has(id)) return;
    if (this.#lostNodes.has(targetNode)) {
      const message = `the agent of ${targetNode} does not respond`;
      this.#checkpoints.set(id, { phase: 'Failed', reason: 'CheckpointFailed', message });
      return;
    }
    const found = [...this.#containers.values()].find(
      ({ start, status }) => start.pod.metadata.name === pod && status.type === 'running',
    );
    if (found === undefined) {
      this.#checkpoints.set(id, {
        phase: 'Failed',
        reason: 'ContainerNotFound',
        message: 'container not found',
      });
      return;
    }
    this.#images.set(image, found.process.memory);
    this.#copies.add(id);
    this.#made += 1;
    // Another one each time.
    const sha256 = String(this.#made).padStart(64, '0');
    this.#checkpoints.set(id, { phase: 'Ready', image, sha256, bytes: 1 });
  }

  runs(_pod: unknown, { image = '' }: ContainerStart['container']): boolean {
    return image === IMAGE || this.#images.has(image);
  }

  image(): ReturnType<ContainerRuntime['image']> {
    return { type: 'available', id: 'original@sha256:0', sizeBytes: 1, pullMs: 0 };
  }

  async start(start: ContainerStart): Promise<void> {
    const { clock } = this.#options;
    const process = new OriginalProcess({
      ...this.#options,
      pod: start.pod.metadata.name,
      queue: queueOf(start),
      restored: this.#images.get(start.container.image ?? ''),
    });
    const status: ContainerState = { type: 'running', startedAt: clock.now(), started: true, ready: true };
    const running: Running = { start, process, stop: new AbortController(), status };
    this.#containers.set(start.id, running);
    const { signal } = running.stop;
    void process.run(signal);
    signal.addEventListener('abort', () => this.#ended(running), { once: true });
  }

  stop(id: string): void {
    this.#containers.get(id)?.stop.abort();
  }

  state(id: string): ContainerState | undefined {
    return this.#containers.get(id)?.status;
  }

  remove(id: string): void {
    this.stop(id);
    this.#containers.delete(id);
  }

  async *logs(): AsyncGenerator<LogLine> {
    // They say nothing.
  }

  onChange(callback: Listener): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  #ended(running: Running): void {
    const { startedAt } = running.status;
    running.status = { type: 'exited', startedAt, finishedAt: this.#options.clock.now(), exitCode: 0 };
    const { namespace, name } = running.start.pod.metadata;
    for (const listener of this.#listeners) listener({ namespace, name });
  }
}

/** The same over a network: calls get lost, and get no response. */
export function flakyAgents(
  agents: () => NodeAgents,
  through: <T>(call: () => Promise<T>) => Promise<T>,
): NodeAgents {
  return {
    facts: (node) => through(() => agents().facts(node)),
    begin: (order) => through(() => agents().begin(order)),
    get: (ref) => through(() => agents().get(ref)),
    remove: (ref) => through(() => agents().remove(ref)),
  };
}

/** Each pod of a set has a queue of its own. Others name it. */
function queueOf({ pod, container }: ContainerStart): string {
  const named = container.env?.find(({ name }) => name === 'QUEUE')?.value;
  return named ?? `orders-${pod.metadata.labels?.['apps.kubernetes.io/pod-index'] ?? ''}`;
}
