import type { Clock } from '@kubewright/client';
import { InProcessBroker } from '@kubewright/operators';

/** For how long a queue that a RabbitMQ has confirmed is not on disk. */
const UNWRITTEN_MS = 2000;

/** A broker that can be killed as a RabbitMQ: queues that it has not written to disk are gone then, with what was in them. */
export class ForgetfulBroker extends InProcessBroker {
  readonly #clock: Clock;
  readonly #declared = new Map<string, number>();

  constructor(clock: Clock) {
    super({ clock });
    this.#clock = clock;
  }

  override declareQueue(
    ...[name, ...options]: Parameters<InProcessBroker['declareQueue']>
  ): ReturnType<InProcessBroker['declareQueue']> {
    if (!this.queues.has(name)) this.#declared.set(name, this.#clock.now());
    return super.declareQueue(name, ...options);
  }

  /** A queue that was there long before. */
  declareStored(...[name, args]: Parameters<InProcessBroker['declareQueue']>): void {
    super.declareQueue(name, args);
  }

  kill(): void {
    this.isDown = true;
    for (const [name, time] of this.#declared)
      if (this.#clock.now() - time < UNWRITTEN_MS) this.deleteQueue(name);
  }
}
