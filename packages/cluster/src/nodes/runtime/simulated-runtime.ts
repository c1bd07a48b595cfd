import type { Clock } from '@kubewright/client';
import type { corev1 } from '@kubewright/kube';
import { type Behaviour, behaviourOf, compileImages, type ImageBehaviours } from './behaviour.ts';
import type {
  ContainerRuntime,
  ContainerStart,
  ContainerState,
  LogLine,
  NodeImage,
} from './container-runtime.ts';
import { imageId } from './image-id.ts';
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
 * Containers that only pretend: they live as their {@link Behaviour} says and do nothing. Costs a timer for those that
 * will change by themselves, and nothing for the others.
 */
export class SimulatedRuntime implements ContainerRuntime {
  readonly scheme = 'simulated';
  readonly #clock: Clock;
  readonly #images: readonly (readonly [RegExp, Behaviour])[];
  readonly #containers = new Map<string, Running>();
  readonly #listeners = new Set<Listener>();

  constructor({ clock, behaviours = {} }: SimulatedRuntimeOptions) {
    this.#clock = clock;
    this.#images = compileImages(behaviours);
  }

  runs(): boolean {
    return true;
  }

  image(pod: corev1.Pod, container: corev1.Container): NodeImage {
    const { imageError: message, pullMs = 0 } = behaviourOf(pod, container, this.#images);
    if (message !== undefined) return { type: 'unavailable', message };
    return { type: 'available', id: imageId(container.image ?? ''), sizeBytes: IMAGE_BYTES, pullMs };
  }

  async start(start: ContainerStart): Promise<void> {
    this.adopt(start, this.#clock.now());
  }

  adopt(start: ContainerStart, startedAt: number): void {
    const behaviour = behaviourOf(start.pod, start.container, this.#images);
    this.#put(start.id, { start, startedAt, behaviour });
  }

  update(id: string, pod: corev1.Pod): void {
    const container = this.#containers.get(id);
    if (container === undefined || container.start.pod.metadata.annotations === pod.metadata.annotations)
      return;
    const behaviour = behaviourOf(pod, container.start.container, this.#images);
    this.#put(id, { ...container, start: { ...container.start, pod }, behaviour });
  }

  stop(id: string, graceMs: number): void {
    const container = this.#containers.get(id);
    if (container === undefined) return;
    this.#put(id, { ...container, stopped: stopOf(container, this.#clock.now(), graceMs) });
  }

  state(id: string): ContainerState | undefined {
    const container = this.#containers.get(id);
    return container === undefined ? undefined : stateOf(container, this.#clock.now());
  }

  remove(id: string): void {
    this.#containers.get(id)?.cancel();
    this.#containers.delete(id);
  }

  async *logs(id: string): AsyncGenerator<LogLine> {
    const container = this.#containers.get(id);
    for (const text of container?.behaviour.logs ?? [])
      yield { time: container?.startedAt ?? 0, stream: 'stdout', text };
  }

  onChange(callback: Listener): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  #put(id: string, container: SimulatedContainer): void {
    this.#containers.get(id)?.cancel();
    const now = this.#clock.now();
    const next = nextChange(container, now);
    const cancel = next === undefined ? () => undefined : this.#clock.after(next - now, () => this.#tell(id));
    this.#containers.set(id, { ...container, cancel });
  }

  #tell(id: string): void {
    const container = this.#containers.get(id);
    if (container === undefined) return;
    this.#put(id, container);
    const { namespace = '', name = '' } = container.start.pod.metadata;
    for (const listener of this.#listeners) listener({ namespace, name });
  }
}
