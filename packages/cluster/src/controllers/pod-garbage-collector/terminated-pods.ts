import { corev1 } from '@kubewright/kube';
import {
  type CacheEvent,
  formatRequest,
  requestFor,
  type Source,
  type SourceContext,
} from '@kubewright/runtime';
import { surplusPods } from './decide.ts';

/** Counts the pods that are over, and asks for those that are too many. */
export class TerminatedPods implements Source {
  readonly name = 'pods that are over';
  readonly #threshold: number;
  readonly #pods = new Map<string, corev1.Pod>();
  #surplus: ReadonlySet<string> = new Set();

  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  isSurplus(pod: corev1.Pod): boolean {
    return this.#surplus.has(pod.metadata.uid ?? '');
  }

  start({ cache, enqueue }: SourceContext): () => void {
    return cache.informer(corev1.pods).addHandler((event) => {
      if (!this.#note(event)) return;
      const surplus = this.#threshold > 0 ? surplusPods([...this.#pods.values()], this.#threshold) : [];
      this.#surplus = new Set(surplus.map(({ metadata }) => metadata.uid ?? ''));
      for (const pod of surplus) enqueue(requestFor(pod));
    });
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

function isOver({ status }: corev1.Pod): boolean {
  return !['Pending', 'Running', 'Unknown'].includes(status?.phase ?? '');
}
