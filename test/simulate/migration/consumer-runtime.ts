import { type Clock, sleep } from '@kubewright/client';
import type { ContainerRuntime, ContainerStart, ContainerState, LogLine } from '@kubewright/cluster';
import { Migratable, type Messages, RESTORE_MODE } from '@kubewright/migratable';
import { ConsumerState } from './consumer-state.ts';
import { type Barrier, earlierMessages } from './earlier-messages.ts';

export type ConsumerRuntimeOptions = {
  readonly messages: Messages;
  readonly clock: Clock;
  /** How long it takes to apply one message. */
  readonly applyMs: number;
  /** How long a process takes to start. */
  readonly bootMs: number;
  /** They are faulty: one that was restored forgets the next message. */
  readonly forgets: boolean;
  /**
   * Fields of a barrier that their SDK, an earlier one, does not know. Without `snapshot` it writes no state there: it gets a command
   * to, which is the step Snapshot. Without `successor` its target gets a command to restore, which is the step Restore.
   */
  readonly unknown: readonly (keyof Barrier)[];
};

type Consumer = {
  readonly start: ContainerStart;
  readonly state: ConsumerState;
  readonly stop: AbortController;
  status: ContainerState;
};

/** Containers that are consumers of the SDK, in this process: the image is `consumer`. */
export class ConsumerRuntime implements ContainerRuntime {
  readonly scheme = 'consumer';
  readonly #options: ConsumerRuntimeOptions;
  readonly #consumers = new Map<string, Consumer>();
  readonly #lost: Consumer[] = [];
  readonly #written = new Set<string>();
  readonly #listeners = new Set<(pod: { readonly namespace: string; readonly name: string }) => void>();

  constructor(options: ConsumerRuntimeOptions) {
    this.#options = options;
  }

  /** What the consumers of this queue hold that run now. */
  statesOf(queue: string): readonly ConsumerState[] {
    return [...this.#consumers.values()]
      .filter(({ start, status }) => queueOf(start) === queue && status.type === 'running')
      .map(({ state }) => state);
  }

  /** Of the consumers of this queue that were lost: what they held. */
  lostStatesOf(queue: string): readonly ConsumerState[] {
    return this.#lost.filter(({ start }) => queueOf(start) === queue).map(({ state }) => state);
  }

  /** Whether a process of the pod has written its state, and reported that. */
  hasWritten(pod: string): boolean {
    return this.#written.has(pod);
  }

  /** The process of a pod ends, after the message or the command in hand. */
  end(pod: string): void {
    for (const { start, status, stop } of this.#consumers.values())
      if (start.pod.metadata.name === pod && status.type === 'running') stop.abort();
  }

  /** All processes end: one that waits for messages would be kept in memory for ever. */
  endAll(): void {
    for (const { stop } of this.#consumers.values()) stop.abort();
  }

  /** The processes on a node end, each after the message or the command in hand. */
  lose(node: string): void {
    this.#lose(({ spec }) => spec.nodeName === node);
  }

  /** The process of a pod ends so. */
  losePod(name: string): void {
    this.#lose(({ metadata }) => metadata.name === name);
  }

  #lose(isLost: (pod: ContainerStart['pod']) => boolean): void {
    for (const consumer of this.#consumers.values()) {
      const { start, status, stop } = consumer;
      if (!isLost(start.pod) || status.type !== 'running') continue;
      this.#lost.push(consumer);
      stop.abort();
    }
  }

  runs(_pod: unknown, { image = '' }: ContainerStart['container']): boolean {
    return image === 'consumer';
  }

  image(): ReturnType<ContainerRuntime['image']> {
    return { type: 'available', id: 'consumer@sha256:0', sizeBytes: 1, pullMs: 0 };
  }

  async start(start: ContainerStart): Promise<void> {
    const { clock, messages, unknown } = this.#options;
    const state = new ConsumerState();
    const status: ContainerState = { type: 'running', startedAt: clock.now(), started: true, ready: false };
    const consumer: Consumer = { start, state, stop: new AbortController(), status };
    this.#consumers.set(start.id, consumer);
    let toForget = 0;
    const app = new Migratable({
      queue: configuredQueue(start),
      messages: earlierMessages(messages, unknown),
      pod: start.pod.metadata.uid,
      instance: start.id.slice(0, 8),
      startPaused: (start.container.env ?? []).some(
        ({ name, value }) => name === RESTORE_MODE && value === 'true',
      ),
      apply: async ({ body }) => {
        await sleep(clock, this.#options.applyMs);
        if (toForget-- > 0) return;
        state.apply(body as { readonly producer: string; readonly seq: number });
      },
      snapshot: () => state.toJson(),
      restore: (from) => {
        state.restore(from);
        toForget = this.#options.forgets ? 1 : 0;
      },
      // By default it is a warning of the process, which is this one.
      onStateLost: () => undefined,
      onReport: ({ mode, snapshot }) => {
        if (snapshot !== undefined) this.#written.add(start.pod.metadata.name);
        this.#readiness(consumer, mode === 'running');
      },
      timer: (ms, signal) => sleep(clock, ms, signal),
    });
    const boot = sleep(clock, this.#options.bootMs);
    void boot
      .then(() => app.start(consumer.stop.signal))
      .then(
        () => this.#ended(consumer, 0),
        () => this.#ended(consumer, 1),
      );
  }

  stop(id: string): void {
    this.#consumers.get(id)?.stop.abort();
  }

  state(id: string): ContainerState | undefined {
    return this.#consumers.get(id)?.status;
  }

  remove(id: string): void {
    this.stop(id);
    this.#consumers.delete(id);
  }

  async *logs(): AsyncGenerator<LogLine> {
    // They say nothing.
  }

  onChange(callback: (pod: { readonly namespace: string; readonly name: string }) => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  #readiness(consumer: Consumer, ready: boolean): void {
    if (consumer.status.type !== 'running' || consumer.status.ready === ready) return;
    consumer.status = { ...consumer.status, ready };
    this.#notify(consumer);
  }

  #ended(consumer: Consumer, exitCode: number): void {
    const { startedAt } = consumer.status;
    consumer.status = { type: 'exited', startedAt, finishedAt: this.#options.clock.now(), exitCode };
    this.#notify(consumer);
  }

  #notify({ start: { pod } }: Consumer): void {
    const { namespace, name } = pod.metadata;
    for (const listener of this.#listeners) listener({ namespace, name });
  }
}

/** A shadow is configured with one that is named after its pod, as applications are: it is told the right one. */
function configuredQueue(start: ContainerStart): string {
  const isShadow = start.pod.metadata.name.endsWith('-shadow');
  return isShadow ? `${queueOf(start)}-shadow` : queueOf(start);
}

/** Each pod of a set has a queue of its own, and so its shadow, which has its labels. Others name it. */
function queueOf({ pod, container }: ContainerStart): string {
  const named = container.env?.find(({ name }) => name === 'QUEUE')?.value;
  return named ?? `orders-${pod.metadata.labels?.['apps.kubernetes.io/pod-index'] ?? ''}`;
}
