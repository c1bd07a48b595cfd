import type { Registry } from '@kubewright/runtime';
import { Counter, Histogram } from 'prom-client';
import { isTerminal, type MigrationStatus } from '../api.ts';

/** From an empty pod to one with a long backlog. */
const SECONDS = [5, 10, 30, 60, 120, 300, 900, 3600];
/** Of whole seconds: the status has no parts of them. */
const PAUSE_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 900];
/** Between these nobody consumes: the source stops, and somebody goes on. */
const STOPS: ReadonlySet<string> = new Set(['Snapshot', 'Quiesce', 'Stop', 'Hold']);
const GOES_ON: ReadonlySet<string> = new Set(['Resume', 'TakeOver', 'SwitchOver', 'UndoSource']);

/** Of those that failed: what only one pod had is gone. */
const LOSSES: ReadonlySet<string> = new Set(['StateLost', 'RestoredPodRestarted']);

/** Notes how migrations end: what the operator counts beside its decisions. */
export function migrationMetrics(registry: Registry) {
  const metrics = registered([registry]);
  return {
    /** `now` is the status as it was stored. */
    note(before: MigrationStatus | undefined, now: MigrationStatus): void {
      if (isTerminal(now) && !isTerminal(before ?? {})) noteEnd(metrics, now);
    },
  };
}

function noteEnd(
  { ended, failed, lost, seconds, pause }: ReturnType<typeof registered>,
  now: MigrationStatus,
): void {
  const { phase = '', startTime, completionTime } = now;
  const reason = reasonOf(now);
  ended.inc({ phase, reason });
  if (phase === 'Failed') failed.inc();
  if (phase === 'Failed' && LOSSES.has(reason)) lost.inc();
  seconds.observe({ phase }, between(startTime, completionTime));
  for (const length of pausesIn(now)) pause.observe(length);
}

function reasonOf({ phase, conditions = [] }: MigrationStatus): string {
  const type = phase === 'Completed' ? 'Completed' : 'Failed';
  return conditions.find((one) => one.type === type)?.reason ?? '';
}

/**
 * What alerts read has no labels, so that it is there, as 0, before the first of its kind: Prometheus sees no increase of what
 * begins with 1.
 */
function registered(registers: Registry[]) {
  return {
    ended: new Counter({
      name: 'migration_ended_total',
      help: 'Migrations that have ended, by phase and reason',
      labelNames: ['phase', 'reason'],
      registers,
    }),
    failed: new Counter({ name: 'migration_failed_total', help: 'Migrations that have failed', registers }),
    lost: new Counter({
      name: 'migration_state_lost_total',
      help: 'Migrations by which the state of a pod was lost',
      registers,
    }),
    seconds: new Histogram({
      name: 'migration_duration_seconds',
      help: 'From the start of a migration to its end, by phase',
      labelNames: ['phase'],
      buckets: SECONDS,
      registers,
    }),
    pause: new Histogram({
      name: 'migration_pause_seconds',
      help: 'How long nobody consumed, each time',
      buckets: PAUSE_SECONDS,
      registers,
    }),
  };
}

/** Seconds of each time, in their order, from the first step in which the source has stopped. */
export function pausesIn({ steps = [] }: Pick<MigrationStatus, 'steps'>): readonly number[] {
  let stopped: string | undefined;
  const pauses: number[] = [];
  for (const { step, startTime, completionTime } of steps) {
    if (STOPS.has(step)) stopped ??= startTime;
    if (stopped === undefined || !GOES_ON.has(step)) continue;
    pauses.push(between(stopped, completionTime));
    stopped = undefined;
  }
  return pauses;
}

function between(start: string | undefined, end: string | undefined): number {
  const seconds = (Date.parse(end ?? '') - Date.parse(start ?? '')) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}
