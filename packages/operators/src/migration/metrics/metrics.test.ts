import { Registry, systemClock } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import type { MigrationStatus, StatefulMigration } from '../api.ts';
import { migrationOf, timeAt } from '../testing/migration-bench.ts';
import { addCacheMetrics } from './add-cache-metrics.ts';
import { migrationMetrics, pausesIn } from './migration-metrics.ts';

const RUNNING: MigrationStatus = { handedOver: false, phase: 'Replaying', startTime: timeAt(0) };

function ended(phase: NonNullable<MigrationStatus['phase']>, reason: string): MigrationStatus {
  const type = phase === 'Completed' ? 'Completed' : 'Failed';
  const condition = { type, status: 'True', reason, message: '', lastTransitionTime: timeAt(90) } as const;
  return { ...RUNNING, phase, completionTime: timeAt(90), conditions: [condition] };
}

/** The lines of what Prometheus gets that begin so. */
async function linesOf(registry: Registry, name: string): Promise<readonly string[]> {
  const text = await registry.metrics();
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe('MIG-82: how migrations end is counted', () => {
  test('once, by phase and reason, with how long they took', async () => {
    const registry = new Registry();
    const metrics = migrationMetrics(registry);
    metrics.note(undefined, RUNNING);
    metrics.note(RUNNING, ended('Failed', 'MirrorFull'));
    metrics.note(ended('Failed', 'MirrorFull'), ended('Failed', 'MirrorFull'));
    metrics.note(RUNNING, ended('Completed', 'SourceLost'));
    expect(await linesOf(registry, 'migration_ended_total{')).toEqual([
      'migration_ended_total{phase="Failed",reason="MirrorFull"} 1',
      'migration_ended_total{phase="Completed",reason="SourceLost"} 1',
    ]);
    expect(await linesOf(registry, 'migration_duration_seconds_sum')).toEqual([
      'migration_duration_seconds_sum{phase="Failed"} 90',
      'migration_duration_seconds_sum{phase="Completed"} 90',
    ]);
  });

  test('that one failed, or lost a state, is counted from 0 on: Prometheus sees no increase of what begins with 1', async () => {
    const registry = new Registry();
    const metrics = migrationMetrics(registry);
    const counts = async () => [
      ...(await linesOf(registry, 'migration_failed_total')),
      ...(await linesOf(registry, 'migration_state_lost_total')),
    ];
    expect(await counts()).toEqual(['migration_failed_total 0', 'migration_state_lost_total 0']);
    metrics.note(RUNNING, ended('Failed', 'MirrorFull'));
    metrics.note(RUNNING, ended('Failed', 'StateLost'));
    metrics.note(RUNNING, ended('Aborted', 'AbortRequested'));
    expect(await counts()).toEqual(['migration_failed_total 2', 'migration_state_lost_total 1']);
  });

  test('the pause of each handover is from the step that stops the source to that in which somebody goes on', () => {
    const step = (name: string, epoch: number, from: number, to: number) => ({
      step: name,
      epoch,
      startTime: timeAt(from),
      completionTime: timeAt(to),
    });
    const first = [step('CatchUp', 1, 0, 5), step('Quiesce', 1, 5, 6), step('ApplyRest', 1, 6, 7)];
    const later = [step('Quiesce', 2, 20, 21), step('TakeOver', 2, 21, 24)];
    expect(pausesIn({ steps: [...first, step('TakeOver', 1, 7, 8), ...later] })).toEqual([3, 4]);
    expect(pausesIn({ steps: first })).toEqual([]);
    expect(pausesIn({})).toEqual([]);
  });
});

test('MIG-82: what has not ended is shown by phase, with its age, its lag and what it waits for', async () => {
  const waiting = (type: string) =>
    ({ type, status: 'True', reason: 'Any', message: '', lastTransitionTime: timeAt(0) }) as const;
  const migrations: readonly StatefulMigration[] = [
    migrationOf({}, ended('Completed', 'Completed')),
    migrationOf({}, { ...RUNNING, messages: { applied: 1, duplicates: 0, gaps: 0, behind: 42 } }),
    migrationOf({}, { ...RUNNING, phase: 'Finalizing', handedOver: true, conditions: [waiting('Stalled')] }),
    migrationOf({}, { handedOver: false, phase: 'Pending', conditions: [waiting('BrokerUnavailable')] }),
  ];
  const registry = new Registry();
  const clock = { ...systemClock, now: () => Date.parse(timeAt(120)) };
  addCacheMetrics({ migrations: () => migrations, clock, registry });
  expect(await linesOf(registry, 'migration_open{')).toEqual(
    expect.arrayContaining([
      'migration_open{phase="Pending"} 1',
      'migration_open{phase="Replaying"} 1',
      'migration_open{phase="Finalizing"} 1',
    ]),
  );
  for (const [name, value] of Object.entries({
    migration_oldest_seconds: 120,
    migration_lag_messages: 42,
    migration_stalled: 1,
    migration_broker_unavailable: 1,
    migration_open_holds: 1,
  }))
    expect(await linesOf(registry, name)).toEqual([`${name} ${value}`]);
});
