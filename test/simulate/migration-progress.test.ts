import { runWorld } from '@kubewright/cluster';
import type { StatefulMigration } from '@kubewright/operators';
import { expect, test } from 'vitest';
import { some } from '../support/seeds.ts';
import { migrationScenario } from './migration/migration.ts';
import type { MigrationStory } from './migration/script.ts';

type Status = NonNullable<StatefulMigration['status']>;
type Written = { readonly status: Status; readonly seconds: number };

/** When worlds begin. */
const BEGIN = Date.UTC(2026, 0, 1);
/** Times in a status are whole seconds: the estimate, and what a step took of which it is made. */
const ROUNDING = 2;

/** What is written of a migration whose processes take six seconds to start, and when, in seconds. */
async function statusesOf(workload: NonNullable<MigrationStory['workloads']>[number]) {
  // They apply 50 messages a second, and get about seven.
  const story = { workloads: [workload], processes: { bootMs: 6000, applyMs: 20 } };
  const scenario = { ...migrationScenario(story), stableFor: 60_000 };
  const { history, failure } = await runWorld({ seed: 1, scenario, faults: [] });
  expect(failure).toBeUndefined();
  return history.of('statefulmigrations', 'move').flatMap(({ object, at }): Written[] => {
    const { status } = object as StatefulMigration;
    return status === undefined ? [] : [{ status, seconds: at / 1000 }];
  });
}

/** The lowest and the highest of how far a value is from what it should be. */
function rangeOf(values: readonly number[]): readonly [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

test.each(some(1, ['StatefulSet', 'Deployment', 'Pod'] as const))(
  'MIG-73 progress and ETA of the pod of a %s are right within a quarter of the time, and never go back',
  async (workload) => {
    const written = await statusesOf(workload);
    const moves = written.filter(({ status }) => status.estimatedCompletionTime !== undefined);
    const end = written.at(-1) as Written;
    expect(end.status).toMatchObject({ phase: 'Completed', progress: 100 });
    expect(end.status).not.toHaveProperty('estimatedCompletionTime');
    const begin = (moves[0] as Written).seconds;
    const total = end.seconds - begin;
    expect(moves.at(0)?.status.step).toBe('Lock');

    const estimates = moves.map(
      ({ status }) => (Date.parse(status.estimatedCompletionTime ?? '') - BEGIN) / 1000,
    );
    const [soonest, latest] = rangeOf(estimates.map((estimate) => (estimate - end.seconds) / total));
    expect(Math.max(-soonest, latest)).toBeLessThan(0.25);
    const left = moves.map(({ seconds }, index) => (estimates[index] ?? 0) - seconds);
    expect(left.filter((one, index) => one > (left[index - 1] ?? one) + ROUNDING)).toEqual([]);

    const progress = moves.map(({ status }) => status.progress ?? 0);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    const entered = moves.filter(({ status }, index) => status.step !== moves[index - 1]?.status.step);
    const off = entered.map(
      ({ status, seconds }) => (status.progress ?? 0) / 100 - (seconds - begin) / total,
    );
    expect(rangeOf(off.map(Math.abs))[1]).toBeLessThan(0.25);
  },
);
