import { Counter, Gauge, Histogram } from 'prom-client';
import { parseTime } from '@kubewright/kube';
import type { CacheEvent, Manager, Registry } from '@kubewright/runtime';
import { CLASS_RUNTIMES, type ClassRuntime, type Phase } from './api.ts';
import { PHASES } from './schema/status-schema.ts';

/** Seconds: rollouts take from some seconds to the progress timeout and longer. */
const BUCKETS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

type Measured = Pick<Manager, 'registry' | 'cache'>;

/**
 * Adds the metrics of phases to the manager's registry. Times are those of the status, so that it does not matter when a
 * change arrives.
 */
export function addPhaseMetrics({ registry, cache }: Measured): void {
  registry.registerMetric(classesByPhase(cache));
  registry.registerMetric(classesByCondition(cache));
  const { transitions, durations, untilAvailable } = phaseChanges([registry]);
  /** Since when a class is on its way to its first, or next, rollout; by uid. */
  const begun = new Map<string, string>();
  cache.informer(CLASS_RUNTIMES).addHandler((event) => {
    const change = changeOf(event);
    const { uid } = event.object.metadata;
    if (event.type === 'Delete') begun.delete(uid);
    if (change === undefined) return;
    const { from, to, reason, left, entered } = change;
    transitions.inc({ from, to, reason });
    if (left !== undefined) durations.observe({ phase: from }, secondsBetween(left, entered));
    if ((to === 'pending' || to === 'applying') && !begun.has(uid)) begun.set(uid, entered);
    if (to !== 'available') return;
    const start = begun.get(uid);
    if (start !== undefined) untilAvailable.observe(secondsBetween(start, entered));
    begun.delete(uid);
  });
}

type PhaseChange = {
  readonly from: Phase | 'none';
  readonly to: Phase;
  readonly reason: string;
  /** When it came to the phase that it has left. */
  readonly left: string | undefined;
  readonly entered: string;
};

/** Only changes while the process runs: a class of the first list has been in its phase for an unknown time. */
function changeOf(event: CacheEvent<ClassRuntime>): PhaseChange | undefined {
  if (event.type !== 'Update') return undefined;
  const { phase: to, lifecycle } = event.object.status ?? {};
  const { phase: from = 'none', lifecycle: before } = event.old.status ?? {};
  if (to === undefined || lifecycle === undefined || from === to) return undefined;
  return { from, to, reason: lifecycle.reason, left: before?.since, entered: lifecycle.since };
}

/** A clock that was set back is no time at all. */
function secondsBetween(from: string, to: string): number {
  return Math.max(0, (parseTime(to).getTime() - parseTime(from).getTime()) / 1000);
}

function phaseChanges(registers: Registry[]) {
  return {
    transitions: new Counter({
      name: 'crm_phase_transitions_total',
      help: 'Changes of the phase of classes, by the reason of the new one',
      labelNames: ['from', 'to', 'reason'],
      registers,
    }),
    durations: new Histogram({
      name: 'crm_phase_duration_seconds',
      help: 'How long classes were in a phase that they left',
      labelNames: ['phase'],
      buckets: BUCKETS,
      registers,
    }),
    untilAvailable: new Histogram({
      name: 'crm_time_to_available_seconds',
      help: 'From the first apply of a new or changed class until it was available',
      buckets: BUCKETS,
      registers,
    }),
  };
}

/** Collected from the cache at each scrape; a phase without classes is 0. */
function classesByPhase(cache: Manager['cache']): Gauge {
  return new Gauge({
    name: 'crm_classruntimes',
    help: 'Classes by phase',
    labelNames: ['phase'],
    registers: [],
    collect() {
      this.reset();
      for (const phase of PHASES) this.set({ phase }, 0);
      for (const { status } of cache.list(CLASS_RUNTIMES))
        if (status?.phase !== undefined) this.inc({ phase: status.phase });
    },
  });
}

function classesByCondition(cache: Manager['cache']): Gauge {
  return new Gauge({
    name: 'crm_condition',
    help: 'Classes by condition and its status',
    labelNames: ['type', 'status'],
    registers: [],
    collect() {
      this.reset();
      for (const { status } of cache.list(CLASS_RUNTIMES))
        for (const { type, status: is } of status?.conditions ?? []) this.inc({ type, status: is });
    },
  });
}
