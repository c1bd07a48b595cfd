import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** controller-runtime's buckets: 5 ms to 60 s. */
const RECONCILE_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
export type ReconcileMetrics = {
  readonly total: Counter<'controller' | 'result'>;
  readonly errors: Counter<'controller'>;
  readonly terminal: Counter<'controller'>;
  readonly panics: Counter<'controller'>;
  readonly timeouts: Counter<'controller'>;
  readonly seconds: Histogram<'controller'>;
  readonly workers: Gauge<'controller'>;
  readonly active: Gauge<'controller'>;
};

export function createReconcileMetrics(registry: Registry): ReconcileMetrics {
  const about = (name: string, help: string) => ({
    name: `controller_runtime_${name}`,
    help,
    labelNames: ['controller'] as const,
    registers: [registry],
  });
  return {
    total: new Counter({
      ...about('reconcile_total', 'Reconciles per controller and result'),
      labelNames: ['controller', 'result'] as const,
    }),
    errors: new Counter(about('reconcile_errors_total', 'Reconciles that failed, per controller')),
    terminal: new Counter(about('terminal_reconcile_errors_total', 'Reconciles that failed for good')),
    panics: new Counter(about('reconcile_panics_total', 'Reconciles that threw what only a mistake throws')),
    timeouts: new Counter(about('reconcile_timeouts_total', 'Reconciles that took longer than they may')),
    seconds: new Histogram({
      ...about('reconcile_time_seconds', 'How long reconciles took'),
      buckets: RECONCILE_SECONDS,
    }),
    workers: new Gauge(about('max_concurrent_reconciles', 'Reconciles that may run at the same time')),
    active: new Gauge(about('active_workers', 'Reconciles that run now')),
  };
}
