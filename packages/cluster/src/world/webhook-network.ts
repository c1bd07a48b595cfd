import type { WebhookCall, WebhookReply, WebhookTransport } from '@kubewright/apiserver';
import { ClusterError } from '../cluster-error.ts';
import type { Life } from './life.ts';
import type { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Answers a question of the API server. */
export type WebhookAnswerer = (call: WebhookCall) => Promise<WebhookReply>;

/** One life that answers at a host. */
export type WebhookBackend = {
  readonly life: Life;
  readonly answer: WebhookAnswerer;
  /** Whether this question, or its answer, is lost. */
  isLost(): 'question' | 'answer' | undefined;
  note(line: string): void;
};

/** Milliseconds that a message travels, at most. */
const LATENCY = 20;

/** A dead backend's answer, and what was lost, never come: the server's own time limit ends the call. */
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** What lies between the API server and webhooks. Who is dead refuses, who is frozen lets wait. */
export class WebhookNetwork implements WebhookTransport {
  readonly #backends = new Map<string, readonly WebhookBackend[]>();
  readonly #scheduler: Scheduler;
  readonly #random: SeededRandom;

  constructor(scheduler: Scheduler, random: SeededRandom) {
    this.#scheduler = scheduler;
    this.#random = random;
  }

  /** A backend of `host` (`name` or `name:port`, as in the webhook's URL) until its life ends, or the result is called. */
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
    const backend = this.#random.pick((this.#backends.get(host) ?? []).filter(({ life }) => life.alive));
    if (backend === undefined)
      throw new ClusterError('ConnectionFailed', `dial tcp ${host}: connect: connection refused`);
    const lost = backend.isLost();
    backend.note(`is asked ${pathname}${lost === undefined ? '' : `: the ${lost} is lost`}`);
    if (lost === 'question') return never();
    const reply = await answerOf(backend, call);
    if (lost === 'answer') return never();
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

function answerOf({ life, answer }: WebhookBackend, call: WebhookCall): Promise<WebhookReply> {
  return new Promise((resolve, reject) => {
    // Both ways through the life: it may be frozen when the question comes, or dead when the answer goes.
    life.after(0, () => {
      answer(call).then(
        (reply) => life.after(0, () => resolve(reply)),
        (error: unknown) => life.after(0, () => reject(error)),
      );
    });
  });
}
