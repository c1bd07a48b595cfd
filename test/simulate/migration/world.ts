import type { Clock } from '@kubewright/client';
import { InProcessBroker } from '@kubewright/operators';
import { ConsumerRuntime } from './consumer-runtime.ts';

const APPLY_MS = 4;
const EXCHANGE = 'events';

/** What of a simulated world is outside of its cluster: the broker, who publishes, and the processes in the pods. */
export class MigrationWorld {
  readonly broker: InProcessBroker;
  readonly consumers: ConsumerRuntime;
  /** By queue, then by producer: the number of the last message. */
  readonly published: Record<string, Record<string, number>> = {};

  /** The script has been played. */
  isOver = false;
  /** Somebody may end the migration. */
  mayEnd = false;

  constructor(clock: Clock) {
    this.broker = new InProcessBroker({ clock });
    this.consumers = new ConsumerRuntime({ messages: this.broker.messages(), clock, applyMs: APPLY_MS });
    this.broker.declareExchange(EXCHANGE, 'direct');
  }

  declare(queue: string): void {
    this.broker.declareQueue(queue);
    this.broker.bind(EXCHANGE, { queue, routingKey: queue });
    this.published[queue] = {};
  }

  publish(queue: string, producer: string): void {
    const last = this.published[queue] ?? {};
    const seq = (last[producer] ?? 0) + 1;
    last[producer] = seq;
    const body = Buffer.from(JSON.stringify({ producer, seq }));
    this.broker.publish(EXCHANGE, queue, { properties: { contentType: 'application/json' }, body });
  }
}

/** By what ends them. */
const worlds = new WeakMap<AbortSignal, MigrationWorld>();

/** The world that ends with `signal`. */
export function worldOf(signal: AbortSignal, clock: Clock): MigrationWorld {
  const world = worlds.get(signal) ?? new MigrationWorld(clock);
  worlds.set(signal, world);
  return world;
}
