import { isConditionTrue } from '@kubewright/kube';
import type { Manager } from '@kubewright/runtime';
import { Gauge, type Metric } from 'prom-client';
import { isTerminal, type StatefulMigration } from '../api.ts';
import { PHASES } from '../status-schema.ts';

type Sources = Pick<Manager, 'clock' | 'registry'> & { readonly migrations: () => Open };
type Open = readonly StatefulMigration[];

/** What is read from the cache when somebody asks: the migrations that have not ended. */
export function addCacheMetrics({ migrations, clock, registry }: Sources): void {
  const open = (): Open => migrations().filter(({ status }) => !isTerminal(status ?? {}));
  const gauges: readonly Metric[] = [
    byPhase(open),
    single(
      'migration_oldest_seconds',
      'The age of the oldest migration that has not ended; 0 without one',
      () => Math.max(0, ...open().map((one) => (clock.now() - startOf(one, clock.now())) / 1000)),
    ),
    single('migration_lag_messages', 'How many messages the target is behind the source, at most', () =>
      Math.max(0, ...open().map(({ status }) => status?.messages?.behind ?? 0)),
    ),
    single('migration_stalled', 'Migrations whose step or phase takes longer than its deadline', () =>
      countTrue(open(), 'Stalled'),
    ),
    single('migration_broker_unavailable', 'Migrations that wait for their broker', () =>
      countTrue(open(), 'BrokerUnavailable'),
    ),
    single(
      'migration_open_holds',
      'Migrations for which the queue of the application is held',
      () => open().filter(isHeld).length,
    ),
  ];
  for (const gauge of gauges) registry.registerMetric(gauge);
}

function byPhase(open: () => Open): Metric {
  return new Gauge({
    name: 'migration_open',
    help: 'Migrations that have not ended, by phase',
    labelNames: ['phase'],
    registers: [],
    collect() {
      const all = open();
      for (const phase of PHASES)
        if (!isTerminal({ phase }))
          this.set({ phase }, all.filter(({ status }) => (status?.phase ?? 'Pending') === phase).length);
    },
  });
}

function single(name: string, help: string, value: () => number): Metric {
  return new Gauge({
    name,
    help,
    registers: [],
    collect() {
      this.set(value());
    },
  });
}

function startOf({ status, metadata }: StatefulMigration, now: number): number {
  const time = Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '');
  return Number.isNaN(time) ? now : time;
}

const countTrue = (all: Open, type: string): number =>
  all.filter(({ status }) => isConditionTrue(status?.conditions ?? [], type)).length;

/** From the restore of the first state on, until the migration is over or undone. */
function isHeld({ status }: StatefulMigration): boolean {
  const { handedOver = false, sourceLost = false, handover } = status ?? {};
  return handedOver || sourceLost || handover?.to.instance !== undefined;
}
