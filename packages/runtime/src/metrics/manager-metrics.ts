import type { Registry } from 'prom-client';
import type { Controller } from '../controller/controller.ts';
import type { ControllerObserver } from '../controller/controller-observer.ts';
import { createQueueMetrics } from './queue-metrics.ts';
import { createReconcileMetrics, type ReconcileMetrics } from './reconcile-metrics.ts';

/** Metrics under controller-runtime's names, as its dashboards expect them. */
export type ManagerMetrics = {
  readonly registry: Registry;
  /** The observer of a controller. `controller` is called when the metrics are scraped. */
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
      startAtZero(reconcile, name);
      return {
        onStart: (workers) => reconcile.workers.set({ controller: name }, workers),
        onPanic: () => reconcile.panics.inc({ controller: name }),
        onTimeout: () => reconcile.timeouts.inc({ controller: name }),
        onActive: (workers) => reconcile.active.set({ controller: name }, workers),
        onReconcile(outcome, tookMs) {
          const failed = outcome === 'error' || outcome === 'terminal_error';
          reconcile.total.inc({ controller: name, result: failed ? 'error' : outcome });
          reconcile.seconds.observe({ controller: name }, tookMs / 1000);
          if (failed) reconcile.errors.inc({ controller: name });
          if (outcome === 'terminal_error') reconcile.terminal.inc({ controller: name });
        },
        queue: {
          onAdd: () => queue.adds.inc(own),
          onDepth: (priority, depth) => queue.depth.set({ ...own, priority }, depth),
          onTake: (_depth, waitedMs) => queue.waited.observe(own, waitedMs / 1000),
          onDone: (workedMs) => queue.worked.observe(own, workedMs / 1000),
          onRetry: () => queue.retries.inc(own),
        },
      };
    },
  };
}

/** Initialised to 0: a rate over a counter that appears with its first failure would miss that failure. */
function startAtZero(
  { total, errors, terminal, panics, timeouts, active }: ReconcileMetrics,
  name: string,
): void {
  const own = { controller: name };
  for (const result of ['success', 'error', 'requeue_after', 'requeue']) total.inc({ ...own, result }, 0);
  for (const counter of [errors, terminal, panics, timeouts]) counter.inc(own, 0);
  active.set(own, 0);
}
