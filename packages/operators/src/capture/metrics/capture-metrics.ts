import type { Registry } from '@kubewright/runtime';
import { Counter, Histogram } from 'prom-client';

/** What the operator counts beside its decisions. */
type CaptureMetrics = ReturnType<typeof registered>;

/** From a capture of one object to a volume of terabytes. */
const SECONDS = [1, 5, 15, 60, 300, 900, 3600, 14_400];

/** All parts of an operator count in one registry. */
const known = new WeakMap<Registry, CaptureMetrics>();

export function captureMetrics(registry: Registry): CaptureMetrics {
  const metrics = known.get(registry) ?? registered([registry]);
  known.set(registry, metrics);
  return metrics;
}

function registered(registers: Registry[]) {
  return {
    ended: new Counter({
      name: 'capture_requests_total',
      help: 'Requests that have ended, by kind, mode, result (succeeded, failed) and reason',
      labelNames: ['kind', 'mode', 'result', 'reason'],
      registers,
    }),
    seconds: new Histogram({
      name: 'capture_request_duration_seconds',
      help: 'From the creation of a request to its end, by kind and result',
      labelNames: ['kind', 'result'],
      buckets: SECONDS,
      registers,
    }),
    chunkBytes: new Counter({
      name: 'capture_chunk_bytes_total',
      help: 'Compressed bytes that were stored in chunks of checkpoints',
      registers,
    }),
    damaged: new Counter({
      name: 'capture_damaged_reads_total',
      help: 'Reads of checkpoints that failed because a chunk is missing or is not what was captured',
      registers,
    }),
  };
}
