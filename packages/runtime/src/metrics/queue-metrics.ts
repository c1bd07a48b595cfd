import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Controller } from '../controller/controller.ts';

/** client-go's: 10 ns to 1000 s by powers of ten. */
const QUEUE_SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];

type QueueLabels = 'name' | 'controller';

export type QueueMetrics = {
  readonly depth: Gauge<QueueLabels | 'priority'>;
  readonly adds: Counter<QueueLabels>;
  readonly retries: Counter<QueueLabels>;
  readonly waited: Histogram<QueueLabels>;
  readonly worked: Histogram<QueueLabels>;
  /** Adds a controller; its running work is measured when the metrics are scraped. */
  watch(name: string, controller: () => Controller | undefined): void;
};

type About = { name: string; help: string; labelNames: readonly QueueLabels[]; registers: Registry[] };

export function createQueueMetrics(registry: Registry): QueueMetrics {
  const about = (name: string, help: string): About => ({
    name: `workqueue_${name}`,
    help,
    labelNames: ['name', 'controller'],
    registers: [registry],
  });
  const watch = measureUnfinished(about);
  return {
    depth: new Gauge({
      ...about('depth', 'Items that wait in the queue, by priority'),
      labelNames: ['name', 'controller', 'priority'] as const,
    }),
    adds: new Counter(about('adds_total', 'Items added to the queue')),
    retries: new Counter(about('retries_total', 'Items that were to come back later')),
    waited: new Histogram({
      ...about('queue_duration_seconds', 'How long items waited in the queue'),
      buckets: QUEUE_SECONDS,
    }),
    worked: new Histogram({
      ...about('work_duration_seconds', 'How long work on items took'),
      buckets: QUEUE_SECONDS,
    }),
    watch,
  };
}

/** Running work is measured only when the metrics are scraped. */
function measureUnfinished(about: (name: string, help: string) => About): QueueMetrics['watch'] {
  const watched = new Map<string, () => Controller | undefined>();
  const gauge = (name: string, help: string, fold: (seconds: readonly number[]) => number): void => {
    const made: Gauge<QueueLabels> = new Gauge({ ...about(name, help), collect: () => collect() });
    const collect = (): void => {
      for (const [name, controller] of watched) {
        const seconds = (controller()?.workingFor() ?? []).map((ms) => ms / 1000);
        made.set({ name, controller: name }, fold(seconds));
      }
    };
  };
  gauge('unfinished_work_seconds', 'Seconds of work under way, added up', (seconds) =>
    seconds.reduce((sum, one) => sum + one, 0),
  );
  gauge('longest_running_processor_seconds', 'Seconds of the longest work under way', (seconds) =>
    Math.max(0, ...seconds),
  );
  return (name, controller) => void watched.set(name, controller);
}
