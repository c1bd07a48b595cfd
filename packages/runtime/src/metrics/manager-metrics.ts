import type { Registry } from 'prom-client';
import type { Controller } from '../controller/controller.ts';
import type { ControllerObserver } from '../controller/controller-observer.ts';
import { createQueueMetrics } from './queue-metrics.ts';
import { createReconcileMetrics } from './reconcile-metrics.ts';

/** Metrics under the names that dashboards made for controller-runtime look for. */
export type ManagerMetrics = {
  readonly registry: Registry;
  /** What a controller reports to. `controllers` is asked when the metrics are read. */
  observerFor(name: string, controller: () => Controller | undefined): ControllerObserver;
};

export function createManagerMetrics(registry: Registry): ManagerMetrics {
  const reconcile = createReconcileMetrics(registry);
  const queue = createQueueMetrics(registry);
  return {
    registry,
    observerFor(name, controller) {
      const own = { name, controller: name };
      queue.watch(name, controller);
      return {
        onStart: (workers) => reconcile.workers.set({ controller: name }, workers),
        onActive: (workers) => reconcile.active.set({ controller: name }, workers),
        onReconcile(outcome, tookMs) {
          const failed = outcome === 'error' || outcome === 'terminal_error';
          reconcile.total.inc({ controller: name, result: failed ? 'error' : outcome });
          reconcile.seconds.observe({ controller: name }, tookMs / 1000);
          if (failed) reconcile.errors.inc({ controller: name });
          if (outcome === 'terminal_error') reconcile.terminal.inc({ controller: name });
        },
        queue: {
          onAdd(depth) {
            queue.adds.inc(own);
            queue.depth.set(own, depth);
          },
          onTake(depth, waitedMs) {
            queue.depth.set(own, depth);
            queue.waited.observe(own, waitedMs / 1000);
          },
          onDone: (workedMs) => queue.worked.observe(own, workedMs / 1000),
          onRetry: () => queue.retries.inc(own),
        },
      };
    },
  };
}
