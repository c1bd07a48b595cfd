import { Counter, Gauge, Histogram } from 'prom-client';
import type { ActOutcome, CacheEvent, Manager, Reconciler, Registry } from '@kubewright/runtime';
import { formatRequest } from '@kubewright/runtime';
import { CLASS_RUNTIMES, type ClassRuntime } from './api.ts';
import type { Loads } from './class-load.ts';
import type { ClassAction } from './decide/observed-class.ts';

type Measured = Pick<Manager, 'registry' | 'cache' | 'clock'>;

/** Metrics of what the operator does, under the names of the specification, in the manager's registry. */
export type ClassMetrics = {
  /** Counts reconciles and how long they take. */
  reconciles(inner: Reconciler): Reconciler;
  /** Counts applies, and deletions of objects that are no longer wanted. */
  acts(action: ClassAction, call: () => Promise<ActOutcome>): Promise<ActOutcome>;
  /** Counts writes of the status. */
  writes<T>(write: Promise<T>): Promise<T>;
};

/** `loads`: absent where there is no source of them. */
export function createClassMetrics(measured: Measured, loads: Loads | undefined): ClassMetrics {
  const { registry, clock } = measured;
  const counted = countersOf([registry]);
  registry.registerMetric(ages(measured, loads));
  registry.registerMetric(partitions(measured));
  registry.registerMetric(queueDepth(registry));
  countSkips(measured, counted.skipped);
  return {
    reconciles: (inner) => ({
      reconcile(request, context) {
        const begun = clock.monotonic();
        return counting(inner.reconcile(request, context), (outcome) => {
          counted.reconciles.inc({ result: outcome === undefined ? 'error' : 'ok' });
          counted.seconds.observe((clock.monotonic() - begun) / 1000);
        });
      },
    }),
    acts(action, call) {
      const isMissing = action.type === 'apply' && action.isMissing === true;
      if (isMissing) counted.missing.inc({ kind: action.object.kind });
      return counting(call(), (outcome) => countAct(counted, action, outcome ?? 'error'));
    },
    writes: (write) =>
      counting(write, (stored) => counted.writes.inc({ result: stored === undefined ? 'error' : 'ok' })),
  };
}

/** `count` gets the result, or undefined where the call rejects. */
async function counting<T>(call: Promise<T>, count: (result: T | undefined) => void): Promise<T> {
  const result = await call.catch((error: unknown) => {
    count(undefined);
    throw error;
  });
  count(result);
  return result;
}

type Counters = ReturnType<typeof countersOf>;

function countAct({ applies, orphans }: Counters, action: ClassAction, outcome: ActOutcome | 'error'): void {
  const result = typeof outcome === 'object' ? outcome.reason : outcome;
  if (action.type === 'apply') applies.inc({ kind: action.object.kind, result });
  if (action.type === 'delete' && action.isOrphan === true && outcome === 'done')
    orphans.inc({ kind: action.object.kind });
}

function countersOf(registers: Registry[]) {
  const counter = <L extends string>(name: string, help: string, label: L, ...more: readonly L[]) =>
    new Counter({ name: `crm_${name}`, help, labelNames: [label, ...more], registers });
  return {
    reconciles: counter('reconcile_total', 'Reconciles of classes', 'result'),
    seconds: new Histogram({
      name: 'crm_reconcile_duration_seconds',
      help: 'How long reconciles of classes took',
      registers,
    }),
    applies: counter<'kind' | 'result'>('apply_total', 'Applies of objects of classes', 'kind', 'result'),
    orphans: counter('orphans_deleted_total', 'Objects that were no longer wanted, and were deleted', 'kind'),
    missing: counter(
      'child_missing_total',
      'Objects of classes that were gone, and were applied again',
      'kind',
    ),
    writes: counter('status_writes_total', 'Writes of the status of classes', 'result'),
    skipped: counter(
      'nfr_enforcement_skip_total',
      'Times that enforcement began to wait, or not to be possible, by what it decided',
      'decision',
    ),
  };
}

/** Once for each change: a decision that stays is no new one. */
function countSkips({ cache }: Measured, skipped: Counters['skipped']): void {
  cache.informer(CLASS_RUNTIMES).addHandler((event) => {
    for (const decision of newDecisions(event)) skipped.inc({ decision });
  });
}

const NO_SKIPS: readonly string[] = ['Apply', 'NoChange'];

function newDecisions(event: CacheEvent<ClassRuntime>): readonly string[] {
  if (event.type !== 'Update') return [];
  const before = new Map(
    event.old.status?.nfr_details?.map(({ function_key, decision }) => [function_key, decision]),
  );
  return (event.object.status?.nfr_details ?? []).flatMap(({ function_key, decision }) =>
    decision === undefined || NO_SKIPS.includes(decision) || before.get(function_key) === decision
      ? []
      : [decision],
  );
}

/** Collected at each scrape, so that deleted classes disappear. */
function ages({ cache, clock }: Measured, loads: Loads = new Map()): Gauge {
  return new Gauge({
    name: 'crm_nfr_recommendation_age_seconds',
    help: 'Age of the newest sample of the load by which a function is sized',
    labelNames: ['namespace', 'name', 'function'],
    registers: [],
    collect() {
      this.reset();
      for (const { metadata } of cache.list(CLASS_RUNTIMES)) {
        const { namespace, name, uid } = metadata;
        const load = loads.get(formatRequest({ namespace, name }));
        if (load?.uid !== uid) continue;
        // What is scaled to zero has no load to be known.
        for (const [key, { at, hasNoPods }] of load.functions)
          if (hasNoPods !== true)
            this.set({ namespace, name, function: key }, Math.max(0, clock.now() - at) / 1000);
      }
    },
  });
}

const STATES = ['healthy', 'degraded', 'lost'] as const;

function partitions({ cache }: Measured): Gauge {
  return new Gauge({
    name: 'crm_odgm_partitions',
    help: 'Partitions of data grids by their state, where their shards are looked at',
    labelNames: ['state'],
    registers: [],
    collect() {
      this.reset();
      for (const state of STATES) this.set({ state }, 0);
      for (const { status } of cache.list(CLASS_RUNTIMES))
        for (const state of STATES) this.inc({ state }, status?.odgm?.[state] ?? 0);
    },
  });
}

/** What the queue of the controller says of itself. */
function queueDepth(registry: Registry): Gauge {
  return new Gauge({
    name: 'crm_workqueue_depth',
    help: 'Classes that wait for a reconcile',
    registers: [],
    async collect() {
      const { values = [] } = (await registry.getSingleMetric('workqueue_depth')?.get()) ?? {};
      this.set(values.find(({ labels }) => Object.values(labels).includes('classruntime'))?.value ?? 0);
    },
  });
}
