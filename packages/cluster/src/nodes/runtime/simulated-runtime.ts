import type { Clock } from '@kubewright/client';
import { type corev1, onAbort, type Stored } from '@kubewright/kube';
import { ClusterError } from '../../cluster-error.ts';
import type { ImageBehaviours } from './behaviour.ts';
import { behaviourOf } from './behaviour-of.ts';
import type {
  CheckpointContent,
  ContainerRuntime,
  ContainerStart,
  ContainerState,
  LogLine,
  LogOptions,
  NodeImage,
} from './container-runtime.ts';
import { imageId } from './image-id.ts';
import { latestLines } from './latest-lines.ts';
import { nextSaying, simulatedLog } from './simulated-log.ts';
import { nextChange, type SimulatedContainer, stateOf, stopOf } from './simulated-container.ts';

export type SimulatedRuntimeOptions = {
  readonly clock: Clock;
  readonly behaviours?: ImageBehaviours;
};

type Listener = Parameters<ContainerRuntime['onChange']>[0];
/** The timer brings the news of the next change; state is read off the clock. */
type Running = SimulatedContainer & { readonly cancel: () => void };

const IMAGE_BYTES = 5_000_000;

/**
 * Simulated containers: they start and end as their behaviour says and do nothing. Costs a timer for those that
 * will change by themselves, and nothing for the others.
 */
export class SimulatedRuntime implements ContainerRuntime {
  readonly scheme = 'simulated';
  readonly #clock: Clock;
  /** Wall time when the steady clock was at 0. */
  readonly #origin: number;
  readonly #images: ImageBehaviours;
  readonly #containers = new Map<string, Running>();
  readonly #listeners = new Set<Listener>();
  /** Who follows a log. */
  readonly #readers = new Set<() => void>();
  #isClosed = false;

  constructor({ clock, behaviours = {} }: SimulatedRuntimeOptions) {
    this.#clock = clock;
    this.#origin = clock.now() - clock.monotonic();
    this.#images = behaviours;
  }

  runs(): boolean {
    return true;
  }

  image(pod: Stored<corev1.Pod>, container: corev1.Container): NodeImage {
    const { imageError: message, pullMs = 0 } = behaviourOf(pod, container, this.#images);
    if (message !== undefined) return { type: 'unavailable', message };
    return { type: 'available', id: imageId(container.image ?? ''), sizeBytes: IMAGE_BYTES, pullMs };
  }

  async start(start: ContainerStart): Promise<void> {
    this.adopt(start, this.#now());
  }

  adopt(start: ContainerStart, startedAt: number): void {
    const behaviour = behaviourOf(start.pod, start.container, this.#images);
    // What was adopted may come from a clock that was ahead; nothing starts later than now.
    this.#put(start.id, { start, startedAt: Math.min(startedAt, this.#now()), behaviour });
  }

  update(id: string, pod: Stored<corev1.Pod>): void {
    const container = this.#containers.get(id);
    if (container === undefined || container.start.pod.metadata.annotations === pod.metadata.annotations)
      return;
    const behaviour = behaviourOf(pod, container.start.container, this.#images);
    this.#put(id, { ...container, start: { ...container.start, pod }, behaviour });
  }

  stop(id: string, graceMs: number): void {
    const container = this.#containers.get(id);
    if (container === undefined) return;
    this.#put(id, { ...container, stopped: stopOf(container, this.#now(), graceMs) });
  }

  state(id: string): ContainerState | undefined {
    const container = this.#containers.get(id);
    return container === undefined ? undefined : stateOf(container, this.#now());
  }

  remove(id: string): void {
    this.#containers.get(id)?.cancel();
    this.#containers.delete(id);
    for (const reader of this.#readers) reader();
  }

  async *logs(id: string, { follow, tail, signal }: LogOptions = {}): AsyncGenerator<LogLine> {
    const lines = this.#said(id);
    yield* latestLines(lines, tail);
    if (follow === true) yield* this.#follow(id, lines.at(-1)?.time, signal);
  }

  async checkpoint(id: string): Promise<CheckpointContent> {
    const container = this.#containers.get(id);
    if (container === undefined || this.state(id)?.type !== 'running')
      throw new ClusterError('InvalidState', 'the container does not run');
    const { image = '', env = [], command = [], args = [] } = container.start.container;
    const known = env.flatMap(({ name, value }) => (value === undefined ? [] : [`${name}=${value}`]));
    // It has nothing in mind.
    return { baseImage: image, env: known, args: [...command, ...args], state: new Uint8Array() };
  }

  onChange(callback: Listener): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** What is said after `since`, until the container ends. */
  async *#follow(
    id: string,
    since = Number.NEGATIVE_INFINITY,
    signal?: AbortSignal,
  ): AsyncGenerator<LogLine> {
    let lastSent = since;
    for (let goesOn = true; goesOn; ) {
      goesOn = this.state(id)?.type === 'running' && signal?.aborted !== true;
      if (goesOn) await this.#saysMore(id, signal);
      const lines = this.#said(id).filter(({ time }) => time > lastSent);
      yield* lines;
      lastSent = lines.at(-1)?.time ?? lastSent;
    }
  }

  /** Milliseconds since 1970, which containers live by: a wall clock that is set makes none of them older or younger. */
  #now(): number {
    return this.#origin + this.#clock.monotonic();
  }

  #said(id: string): readonly LogLine[] {
    const container = this.#containers.get(id);
    return container === undefined ? [] : simulatedLog(container, this.#now());
  }

  /** Resolves when there may be something new to read. */
  #saysMore(id: string, signal: AbortSignal | undefined): Promise<void> {
    const container = this.#containers.get(id);
    const now = this.#now();
    const next = container === undefined ? now : (nextSaying(container, now) ?? now);
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.#readers.delete(done);
        forget();
        resolve();
      };
      const cancel = this.#clock.after(Math.max(0, next - now), done, { background: true });
      this.#readers.add(done);
      const forget = onAbort(signal, done);
    });
  }

  /** Nothing happens to its containers any more: their timers would keep the process alive. */
  close(): void {
    this.#isClosed = true;
    for (const { cancel } of this.#containers.values()) cancel();
  }

  #put(id: string, container: SimulatedContainer): void {
    this.#containers.get(id)?.cancel();
    const now = this.#now();
    const next = this.#isClosed ? undefined : nextChange(container, now);
    const cancel =
      next === undefined ? () => undefined : this.#clock.after(next - now, () => this.#notify(id));
    this.#containers.set(id, { ...container, cancel });
    for (const reader of this.#readers) reader();
  }

  #notify(id: string): void {
    const container = this.#containers.get(id);
    if (container === undefined) return;
    this.#put(id, container);
    const { namespace, name } = container.start.pod.metadata;
    for (const listener of this.#listeners) listener({ namespace, name });
  }
}
