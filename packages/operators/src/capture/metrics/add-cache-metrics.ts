import type { Ref } from '@kubewright/client';
import { type KubeObject, parseTime } from '@kubewright/kube';
import type { Manager } from '@kubewright/runtime';
import { Gauge, type Metric } from 'prom-client';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { OBJECT_KEEPERS } from '../api/object-keeper.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from '../api/volume-restore-request.ts';
import { isFinished } from '../requests/finish.ts';

const PHASES = ['Pending', 'Tracking', 'Expiring'] as const;

type Sources = Pick<Manager, 'cache' | 'clock' | 'registry'>;
type RequestObject = KubeObject & { readonly status?: { readonly completionTimestamp?: string } };

/** What is read from the cache when somebody asks. */
export function addCacheMetrics(sources: Sources): void {
  const { registry } = sources;
  for (const gauge of [oldestPending(sources), keepersByPhase(sources)]) registry.registerMetric(gauge);
}

function oldestPending({ cache, clock }: Sources): Metric {
  const ageOf = <T extends RequestObject>(ref: Ref<T>): number => {
    const pending = cache.list(ref).filter(({ status }) => !isFinished(status ?? {}));
    const times = pending.map(({ metadata: { creationTimestamp: time } }) =>
      typeof time === 'string' ? parseTime(time).getTime() : clock.now(),
    );
    const oldest = times.reduce((first, time) => Math.min(first, time), clock.now());
    return (clock.now() - oldest) / 1000;
  };
  return new Gauge({
    name: 'capture_oldest_pending_seconds',
    help: 'The age of the oldest request that has not ended, by kind; 0 without one',
    labelNames: ['kind'],
    registers: [],
    collect() {
      this.set({ kind: MANIFEST_CAPTURE_REQUESTS.kind }, ageOf(MANIFEST_CAPTURE_REQUESTS));
      this.set({ kind: VOLUME_CAPTURE_REQUESTS.kind }, ageOf(VOLUME_CAPTURE_REQUESTS));
      this.set({ kind: VOLUME_RESTORE_REQUESTS.kind }, ageOf(VOLUME_RESTORE_REQUESTS));
    },
  });
}

function keepersByPhase({ cache }: Sources): Metric {
  return new Gauge({
    name: 'capture_keepers',
    help: 'ObjectKeepers, by phase',
    labelNames: ['phase'],
    registers: [],
    collect() {
      const keepers = cache.list(OBJECT_KEEPERS);
      const inPhase = (phase: string): number =>
        keepers.filter(({ status }) => (status?.phase ?? 'Pending') === phase).length;
      for (const phase of PHASES) this.set({ phase }, inPhase(phase));
    },
  });
}
