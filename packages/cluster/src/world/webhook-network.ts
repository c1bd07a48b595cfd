import type { WebhookCall, WebhookReply, WebhookTransport } from '@kubewright/apiserver';
import { ClusterError } from '../cluster-error.ts';
import type { Instance } from './instance.ts';
import type { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Handles a call of the API server. */
export type WebhookCallHandler = (call: WebhookCall) => Promise<WebhookReply>;

/** One instance that serves a host. */
export type WebhookBackend = {
  readonly instance: Instance;
  readonly handle: WebhookCallHandler;
  /** Whether this request, or the response to it, is lost. */
  isLost(): 'request' | 'response' | undefined;
  note(line: string): void;
};

/** Milliseconds that a message travels, at most. */
const LATENCY = 20;

/** The response of a crashed backend, and a lost one, never arrive: the server's own time limit ends the call. */
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** The network between the API server and webhooks. A crashed backend refuses connections, a frozen one lets them wait. */
export class WebhookNetwork implements WebhookTransport {
  readonly #backends = new Map<string, readonly WebhookBackend[]>();
  readonly #scheduler: Scheduler;
  readonly #random: SeededRandom;

  constructor(scheduler: Scheduler, random: SeededRandom) {
    this.#scheduler = scheduler;
    this.#random = random;
  }

  /** A backend of `host` (`name` or `name:port`, as in the webhook's URL) until its instance ends, or the result is called. */
  serve(host: string, backend: WebhookBackend): () => void {
    const backends = (): readonly WebhookBackend[] => this.#backends.get(host) ?? [];
    this.#backends.set(host, [...backends(), backend]);
    return () =>
      void this.#backends.set(
        host,
        backends().filter((one) => one !== backend),
      );
  }

  async call(call: WebhookCall): Promise<WebhookReply> {
    const { host, pathname } = new URL(call.url);
    await this.#travel();
    const backend = this.#random.pick(
      (this.#backends.get(host) ?? []).filter(({ instance }) => instance.alive),
    );
    if (backend === undefined)
      throw new ClusterError('ConnectionFailed', `dial tcp ${host}: connect: connection refused`);
    const lost = backend.isLost();
    backend.note(`is called ${pathname}${lost === undefined ? '' : `: the ${lost} is lost`}`);
    if (lost === 'request') return never();
    const reply = await replyOf(backend, call);
    if (lost === 'response') return never();
    await this.#travel();
    return reply;
  }

  close(): void {
    this.#backends.clear();
  }

  #travel(): Promise<void> {
    return new Promise((resolve) => {
      this.#scheduler.after(this.#random.below(LATENCY), resolve);
    });
  }
}

function replyOf({ instance, handle }: WebhookBackend, call: WebhookCall): Promise<WebhookReply> {
  return new Promise((resolve, reject) => {
    // Both ways through the instance: it may be frozen when the request arrives, or crashed when the reply leaves.
    instance.after(0, () => {
      handle(call).then(
        (reply) => instance.after(0, () => resolve(reply)),
        (error: unknown) => instance.after(0, () => reject(error)),
      );
    });
  });
}
