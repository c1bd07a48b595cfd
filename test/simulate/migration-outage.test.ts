import { type RunResult, runWorld } from '@kubewright/cluster';
import type { StatefulMigration } from '@kubewright/operators';
import { expect, test } from 'vitest';
import { some } from '../support/seeds.ts';
import { recordOf } from './migration/crash-at.ts';
import { ofEarlier } from './migration/earlier-messages.ts';
import { migrationScenario } from './migration/migration.ts';
import { statusOf } from './migration/status-of.ts';

/** A process takes a while to start, so that there is time before it has restored. */
const PACE = { bootMs: 1000, applyMs: 20 };
const KINDS = ['Sequential', 'SequentialPod', 'SequentialDeployment'] as const;
const OUTAGE_MS = 60_000;
/** The broker goes away within it: the script looks for the step. */
const MARGIN_MS = 500;

type Shown = { readonly step: string | undefined; readonly message: string | undefined };

/** What was written of the migration while the broker was away. */
function writtenWhile(result: RunResult, begin: number): readonly Shown[] {
  return result.history
    .of('statefulmigrations', 'move')
    .filter(({ at }) => at > begin + MARGIN_MS && at < begin + OUTAGE_MS)
    .map(({ object }) => {
      const { step, message } = (object as StatefulMigration).status ?? {};
      return { step, message };
    });
}

const AWAY = [
  ['CreateMirror', 1],
  ['CatchUp', 1],
  ['TakeOver', 1],
  ['DeleteQueues', 1],
  ['Confirm', 2],
] as const;

test.each(some(1, AWAY))(
  'MIG-13 a broker that is away for a minute from step %s of handover %i is on record, and nothing more is written',
  async (step, epoch) => {
    const story = { workloads: ['Single'], outageAt: { step, epoch }, outageMs: OUTAGE_MS } as const;
    const result = await runWorld({
      seed: 1,
      scenario: { ...migrationScenario(story), stableFor: 30_000 },
      faults: [],
    });
    expect(result.failure).toBeUndefined();
    const written = writtenWhile(result, recordOf(result, step, epoch).at);
    expect(written.length, JSON.stringify(written)).toBeLessThanOrEqual(1);
  },
);

/** A source writes its state at the barrier, or, of an earlier SDK, when it is told to. */
const FORBIDDEN = [
  ...AWAY,
  ['Restore', 1],
  ['Barrier', 1],
  ['Snapshot', 1],
  ['Quiesce', 1],
  ['TakeOver', 2],
] as const;

test.each(some(1, FORBIDDEN))(
  'MIG-78 rights that are away for ten seconds from step %s of handover %i are on record, and waited for',
  async (step, epoch) => {
    const outage = { outageAt: { step, epoch }, outageMs: 10_000, outageOf: 'forbids' } as const;
    const processes = { unknown: ofEarlier(step) };
    const story = { workloads: ['StatefulSet'], processes, ...outage } as const;
    const scenario = { ...migrationScenario(story), stableFor: 30_000 };
    const result = await runWorld({ seed: 1, scenario, faults: [] });
    expect(result.failure).toBeUndefined();
    const { phase, conditions = [] } = statusOf(result);
    expect(phase).toBe('Completed');
    const away = conditions.find(({ type }) => type === 'BrokerUnavailable');
    expect(away).toMatchObject({ status: 'False' });
    const messages = result.history
      .of('statefulmigrations', 'move')
      .map(({ object }) => (object as StatefulMigration).status?.message ?? '');
    expect(messages.some((message) => message.includes('ACCESS_REFUSED'))).toBe(true);
  },
);

test('MIG-13 where three of a hundred requests and responses are lost, no outage is on record', async () => {
  const scenario = { ...migrationScenario({ workloads: ['Single'] }), stableFor: 30_000 };
  const { history, failure } = await runWorld({ seed: 1, scenario, faults: [] });
  expect(failure).toBeUndefined();
  const statuses = history
    .of('statefulmigrations', 'move')
    .map(({ object }) => (object as StatefulMigration).status);
  const conditions = statuses.flatMap((status) => (status?.conditions ?? []).map(({ type }) => type));
  expect(new Set(conditions)).toEqual(new Set(['Completed']));
});

test.each(some(1, [1, 2]))(
  'MIG-14 a broker that is killed in handover %i, and forgets the mirror and the snapshot: no message is lost',
  async (epoch) => {
    const outageAt = { step: 'Resume', epoch };
    const story = {
      workloads: ['StatefulSet'],
      outageAt,
      outageMs: 1000,
      outageOf: 'kills' as const,
      processes: PACE,
    } as const;
    const scenario = { ...migrationScenario(story), stableFor: 30_000 };
    const result = await runWorld({ seed: 1, scenario, faults: [] });
    expect(result.failure).toBeUndefined();
    const { phase, outcome } = statusOf(result);
    expect([phase, outcome?.reason]).toEqual(
      epoch === 1 ? ['Failed', 'MirrorLost'] : ['Completed', undefined],
    );
  },
);

test('MIG-14 Sequential, a broker that is killed as the source goes, and no webhook is called: the queue stays held', async () => {
  const outageAt = { step: 'ReplaceSource', epoch: 1 };
  const story = {
    workloads: ['Sequential'],
    outageAt,
    outageMs: 300,
    outageOf: 'kills',
    unhooked: true,
    processes: { ...PACE, bootMs: 0 },
  } as const;
  const result = await runWorld({
    seed: 1,
    scenario: { ...migrationScenario(story), stableFor: 30_000 },
    faults: [],
  });
  expect(result.failure).toBeUndefined();
});

const KILLED = (['Snapshot', 'Restore', 'DeclareSnapshot', 'Stop', 'HoldPrimary'] as const).map(
  (step, index) => [step, KINDS[index % KINDS.length]] as const,
);

test.each(some(1, KILLED))(
  'MIG-14 Sequential, a broker that is killed at %s (%s): the state is not lost',
  async (step, kind) => {
    const outageAt = { step, epoch: 1 };
    const story = {
      workloads: [kind ?? 'Sequential'],
      outageAt,
      outageMs: 1000,
      outageOf: 'kills' as const,
      processes: PACE,
    };
    const result = await runWorld({
      seed: 1,
      scenario: { ...migrationScenario(story), stableFor: 30_000 },
      faults: [],
    });
    expect(result.failure).toBeUndefined();
    expect(statusOf(result)).toMatchObject({ phase: 'Completed', handover: { snapshot: { chunks: 1 } } });
  },
);
