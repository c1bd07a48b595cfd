import type { Clock } from '@kubewright/client';
import type { Nodes } from '@kubewright/cluster';
import { onAbort } from '@kubewright/kube';
import type { Broker } from '@kubewright/operators';
import { ConsumerRuntime, type ConsumerRuntimeOptions } from './consumer-runtime.ts';
import { ForgetfulBroker } from './forgetful-broker.ts';
import type { LossOfNodes } from './loss-of-nodes.ts';
import type { Workload } from './manifests.ts';
import { OriginalRuntime } from './original-runtime.ts';

/** What processes in pods take, whether they forget a message, and of which SDK they are. */
export type Processes = Pick<ConsumerRuntimeOptions, 'applyMs' | 'bootMs' | 'forgets' | 'unknown'>;
const PROCESSES: Processes = { applyMs: 4, bootMs: 0, forgets: false, unknown: [] };
const EXCHANGE = 'events';

/** What of a simulated world is outside of its cluster: the broker, who publishes, and the processes in the pods. */
export class MigrationWorld {
  readonly broker: ForgetfulBroker;
  readonly consumers: ConsumerRuntime;
  /** Processes that know nothing of the SDK. */
  readonly originals: OriginalRuntime;
  /** By queue, then by producer: the number of the last message. */
  readonly published: Record<string, Record<string, number>> = {};

  /** Queues that were bound by an operator. */
  readonly mirrors = new Set<string>();
  /**
   * Queues that were declared after somebody had deleted them: by an operator that was frozen in the call while another one
   * went on. No broker can tell it from a good call; that they expire is what removes them.
   */
  readonly late = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly clock: Clock;

  /** Of its cluster. */
  nodes: Nodes | undefined;
  /** Nodes whose processes were lost, with all that they had in memory, and when. */
  readonly lost = new Map<string, number>();
  /** Those of them whose containers were started again in place, without what they had in memory. */
  readonly rebooted = new Set<string>();

  /** Nodes are cut off from the cluster, and no process is lost: whoever reports a lost state is wrong. */
  isCutOff = false;
  /** Nobody publishes anything. */
  isSilent = false;
  /** What was created so far, and the names of its migrations. */
  readonly workloads: Workload[] = [];
  readonly moves: string[] = [];
  /** Queues that were there before, and what nobody may read. */
  readonly stale: string[] = [];
  /** The migration that is played now was there. */
  isBegun = false;
  /** The script has been played. */
  isOver = false;
  /** The migration is deleted when it is over. */
  expires = false;
  /** Somebody may end the migration. */
  mayEnd = false;

  constructor(clock: Clock, wanted: Partial<Processes> = {}) {
    this.clock = clock;
    this.broker = new ForgetfulBroker(clock);
    const processes = { ...PROCESSES, ...wanted };
    this.consumers = new ConsumerRuntime({ messages: this.broker.messages(), clock, ...processes });
    this.originals = new OriginalRuntime({ broker: this.broker, clock, applyMs: processes.applyMs });
    this.broker.declareExchange(EXCHANGE, 'direct');
  }

  /** The broker as operators see it. */
  connect(): Broker {
    const broker = this.broker.connect();
    return {
      ...broker,
      bind: (binding) => {
        this.mirrors.add(binding.queue);
        return broker.bind(binding);
      },
      declareQueue: (name, options) => {
        if (this.#deleted.has(name)) this.late.add(name);
        return broker.declareQueue(name, options);
      },
      deleteQueue: (name) => {
        this.#deleted.add(name);
        this.late.delete(name);
        return broker.deleteQueue(name);
      },
    };
  }

  declare(queue: string, args: Readonly<Record<string, string | number>> = {}): void {
    this.broker.declareStored(queue, args);
    this.broker.bind(EXCHANGE, { queue, routingKey: queue });
    this.published[queue] = {};
  }

  /** A queue that an earlier migration has left, and what is in it. */
  leave(queue: string, messages: number): void {
    this.stale.push(queue);
    this.broker.declareStored(queue);
    this.broker.bind(EXCHANGE, { queue, routingKey: queue });
    for (let seq = 1; seq <= messages; seq++) this.#send(queue, { producer: 'stale', seq });
  }

  /** Its kubelet and its agent say nothing any more. Without power its processes are gone, and all that was in memory. */
  lose(node: string, of: LossOfNodes['of']): void {
    this.nodes?.lose(node);
    this.originals.lose(node, of);
    this.isCutOff ||= of === 'network';
    if (of === 'network') return;
    this.lost.set(node, this.clock.now());
    if (of === 'reboot') this.rebooted.add(node);
    this.consumers.lose(node);
  }

  /** It is back, with its disk. */
  restore(node: string): void {
    this.nodes?.restore(node);
    this.originals.restore(node);
  }

  publish(queue: string, producer: string): void {
    const last = this.published[queue] ?? {};
    const seq = (last[producer] ?? 0) + 1;
    last[producer] = seq;
    this.#send(queue, { producer, seq });
  }

  #send(queue: string, content: { readonly producer: string; readonly seq: number }): void {
    const body = Buffer.from(JSON.stringify(content));
    this.broker.publish(EXCHANGE, queue, { properties: { contentType: 'application/json' }, body });
  }
}

/** By what ends them. */
const worlds = new WeakMap<AbortSignal, MigrationWorld>();

/** Takes the clock of a component without faults: an operator's clock would stop when it crashes, and the consumers with it. */
export function beginWorld(
  signal: AbortSignal,
  clock: Clock,
  processes?: Partial<Processes>,
): MigrationWorld {
  const world = new MigrationWorld(clock, processes);
  worlds.set(signal, world);
  onAbort(signal, () => world.consumers.endAll());
  return world;
}

/** The world that ends with `signal`. */
export function worldOf(signal: AbortSignal): MigrationWorld {
  const world = worlds.get(signal);
  if (world === undefined) throw new TypeError('the world has not begun');
  return world;
}
