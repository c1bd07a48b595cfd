import { type Clock, sleep } from '@kubewright/client';
import type { InProcessBroker } from '@kubewright/operators';
import { ConsumerState } from './consumer-state.ts';

type Options = {
  readonly broker: InProcessBroker;
  readonly clock: Clock;
  /** The name of its pod, which it reads from /etc/hostname. */
  readonly pod: string;
  readonly queue: string;
  readonly applyMs: number;
  readonly restored?: Memory | undefined;
};

/** What a checkpoint has of it. */
export type Memory = { readonly applied: unknown; readonly replay: string | undefined };

type Channel = ReturnType<InProcessBroker['openChannel']>;
type Taken = { readonly tag: number; readonly body: { readonly producer: string; readonly seq: number } };

const PREFETCH = 50;
const RECONNECT_MS = 3000;
const POLL_MS = 1000;

/** A consumer of the original system: it looks for commands every second, and consumes one queue or another. */
export class OriginalProcess {
  readonly state = new ConsumerState();
  readonly #options: Options;
  #replay: string | undefined;
  #channel: Channel | undefined;

  constructor(options: Options) {
    this.#options = options;
    if (options.restored === undefined) return;
    this.state.restore(options.restored.applied);
    this.#replay = options.restored.replay;
  }

  get memory(): Memory {
    return { applied: this.state.toJson(), replay: this.#replay };
  }

  /** Until the signal is aborted: then it is gone at once, with its connection. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, restored, broker } = this.#options;
    signal.addEventListener('abort', () => this.#channel?.close(), { once: true });
    // Its connection was cut by the checkpoint.
    if (restored !== undefined) await sleep(clock, RECONNECT_MS);
    while (!signal.aborted) {
      if (!broker.isDown) {
        this.#channel = broker.openChannel();
        await this.#session(this.#channel, signal);
        this.#channel.close();
      }
      await sleep(clock, RECONNECT_MS);
    }
  }

  /** Until its connection is lost. */
  async #session(channel: Channel, signal: AbortSignal): Promise<void> {
    const { clock, queue: primary } = this.#options;
    this.#readCommands(channel);
    let queue = this.#replay ?? primary;
    let consumer = this.#consume(channel, queue);
    while (channel.isOpen && !signal.aborted) {
      await sleep(clock, consumer.taken.length > 0 ? 0 : POLL_MS);
      await this.#apply(channel, consumer.taken);
      if (!channel.isOpen) return;
      this.#readCommands(channel);
      if (queue === (this.#replay ?? primary)) continue;
      consumer.cancel();
      await sleep(clock, POLL_MS / 2);
      if (!channel.isOpen) return;
      queue = this.#replay ?? primary;
      consumer = this.#consume(channel, queue);
    }
  }

  async #apply(channel: Channel, taken: Taken[]): Promise<void> {
    for (let one = taken.shift(); one !== undefined; one = taken.shift()) {
      await sleep(this.#options.clock, this.#options.applyMs);
      // Both in one step, as a process is checkpointed between two instructions and its socket is flushed.
      if (!channel.isOpen) return;
      this.state.apply(one.body);
      channel.ack(one.tag);
    }
  }

  #consume(channel: Channel, name: string) {
    const taken: Taken[] = [];
    const consumer = channel.consume(this.#options.broker.declareQueue(name), {
      prefetch: PREFETCH,
      exclusive: false,
      noAck: false,
      deliver: (tag, { message }) =>
        taken.push({ tag, body: JSON.parse(Buffer.from(message.body).toString()) as Taken['body'] }),
    });
    return {
      taken,
      cancel: () => {
        channel.cancel(consumer);
        for (const { tag } of taken.splice(0).toReversed()) channel.requeue(tag, 'failed');
      },
    };
  }

  #readCommands(channel: Channel): void {
    const control = this.#options.broker.declareQueue(`ms2m.control.${this.#options.pod}`);
    for (let got = channel.get(control); got !== undefined; got = channel.get(control)) {
      channel.ack(got.tag);
      const { type, payload } = JSON.parse(Buffer.from(got.entry.message.body).toString()) as {
        readonly type: string;
        readonly payload?: { readonly queue: string };
      };
      if (type === 'START_REPLAY') this.#replay = payload?.queue;
      else if (type === 'END_REPLAY') this.#replay = undefined;
    }
  }
}
