import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** controller-runtime's: 10 ns to 1000 s by powers of ten. */
const SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];

export type WebhookMetrics = {
  /** Initialises the series of a path, before its first request. */
  register(path: string): void;
  /** A request started. Call the result with its HTTP status and duration in milliseconds when it ends. */
  begin(path: string): (status: number, tookMs: number) => void;
  panic(): void;
};

/** controller-runtime's metrics of a webhook server. */
export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const about = (name: string, help: string) => ({
    name: `controller_runtime_webhook_${name}`,
    help,
    labelNames: ['webhook'] as const,
    registers: [registry],
  });
  const latency = new Histogram({
    ...about('latency_seconds', 'How long admission requests took'),
    buckets: SECONDS,
  });
  const inFlight = new Gauge(about('requests_in_flight', 'Admission requests that are being served'));
  const total = new Counter({
    ...about('requests_total', 'Admission requests by HTTP status code'),
    labelNames: ['webhook', 'code'] as const,
  });
  const panics = new Counter({ ...about('panics_total', 'Handlers that failed'), labelNames: [] });
  return {
    register(webhook) {
      for (const code of ['200', '500']) total.inc({ webhook, code }, 0);
      inFlight.set({ webhook }, 0);
    },
    begin(webhook) {
      inFlight.inc({ webhook });
      return (status, tookMs) => {
        inFlight.dec({ webhook });
        total.inc({ webhook, code: String(status) });
        latency.observe({ webhook }, tookMs / 1000);
      };
    },
    panic: () => panics.inc(),
  };
}
