import { autoscalingv2 } from '@kubewright/kube';
import { type Clock, formatRequest, requestFor, type Source, watchKind } from '@kubewright/runtime';
import { isDelete } from '../workloads/watch-controlled.ts';

/**
 * A new autoscaler is looked at after a period, and from then on once in every period: that it has changed, perhaps by
 * a look at it, is no reason for another one. A deletion is reported at once.
 */
export function watchAutoscalers(periodMs: number, clock: Clock): Source {
  const deletions = watchKind(autoscalingv2.horizontalpodautoscalers, {
    predicates: [isDelete],
  });
  return {
    ...deletions,
    start(context) {
      const waiting = new Map<string, () => void>();
      const stopTelling = deletions.start(context);
      const stopWatching = context.cache
        .informer(autoscalingv2.horizontalpodautoscalers)
        .addHandler(({ type, object }) => {
          const request = requestFor(object);
          const key = formatRequest(request);
          if (type === 'Delete') {
            waiting.get(key)?.();
            waiting.delete(key);
          } else if (type === 'Create' && !waiting.has(key)) {
            const look = (): void => {
              waiting.delete(key);
              context.enqueue(request);
            };
            waiting.set(key, clock.after(periodMs, look));
          }
        });
      return () => {
        stopTelling();
        stopWatching();
        for (const cancel of waiting.values()) cancel();
      };
    },
  };
}
