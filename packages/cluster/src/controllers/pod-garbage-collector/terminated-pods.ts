import type { Clock } from '@kubewright/client';
import { corev1, type Stored } from '@kubewright/kube';
import {
  type CacheEvent,
  formatRequest,
  requestFor,
  type Source,
  type SourceContext,
} from '@kubewright/runtime';
import { surplusPods } from './decide.ts';

/** To tell which go takes a look at all of them: not at every event, of which there is one for each that goes. */
const COUNT_MS = 1000;

/** Counts the pods that are over, and asks for those that are too many. */
export class TerminatedPods implements Source {
  readonly name = 'pods that are over';
  readonly #threshold: number;
  readonly #clock: Clock;
  readonly #pods = new Map<string, Stored<corev1.Pod>>();
  #surplus: ReadonlySet<string> = new Set();

  constructor(threshold: number, clock: Clock) {
    this.#threshold = threshold;
    this.#clock = clock;
  }

  isSurplus(pod: Stored<corev1.Pod>): boolean {
    return this.#surplus.has(pod.metadata.uid);
  }

  start({ cache, enqueue }: SourceContext): () => void {
    let cancel: (() => void) | undefined;
    const count = (): void => {
      cancel = undefined;
      const surplus = this.#threshold > 0 ? surplusPods([...this.#pods.values()], this.#threshold) : [];
      this.#surplus = new Set(surplus.map(({ metadata }) => metadata.uid));
      for (const pod of surplus) enqueue(requestFor(pod));
    };
    const end = cache.informer(corev1.pods).addHandler((event) => {
      if (this.#note(event)) cancel ??= this.#clock.after(COUNT_MS, count);
    });
    return () => {
      end();
      cancel?.();
    };
  }

  waitForSync({ cache }: SourceContext, signal: AbortSignal): Promise<void> {
    return cache.informer(corev1.pods).waitForSync(signal);
  }

  /** Whether there are too many, or were. */
  #note({ type, object }: CacheEvent<corev1.Pod>): boolean {
    const key = formatRequest(requestFor(object));
    if (type !== 'Delete' && isOver(object)) this.#pods.set(key, object);
    else if (!this.#pods.delete(key)) return false;
    return this.#pods.size > this.#threshold || this.#surplus.size > 0;
  }
}

function isOver({ status }: Stored<corev1.Pod>): boolean {
  return !['Pending', 'Running', 'Unknown'].includes(status?.phase ?? '');
}
