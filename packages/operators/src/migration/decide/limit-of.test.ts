import { describe, expect, test } from 'vitest';
import type { MigrationStatus, StatefulMigration } from '../api.ts';
import { readSettings } from '../settings.ts';
import { ALL_WELL, decidedAt, migrationOf, podOf } from '../testing/migration-bench.ts';
import type { ObservedMigration } from './observed-migration.ts';

type Facts = {
  readonly uid: string;
  readonly second?: number;
  readonly to?: string;
  readonly status?: Partial<MigrationStatus>;
};

function migration({ uid, second = 0, to = 'b', status }: Facts): StatefulMigration {
  const whole = status === undefined ? undefined : { handedOver: false, ...status };
  const { metadata, ...rest } = migrationOf({ targetNode: to, sourcePod: `pod-${uid}` }, whole, uid);
  const creationTimestamp = `2026-01-01T00:00:0${second}Z`;
  return { ...rest, metadata: { ...metadata, name: uid, creationTimestamp } };
}

const BEGUN = { step: 'CatchUp', sourceNode: 'a' };
const WAITING = { step: 'Preflight', sourceNode: 'a' };

/** Pods that nobody controls. */
const { set: _none, ...REST } = ALL_WELL;

function seen(own: StatefulMigration, open: readonly StatefulMigration[], env: object): ObservedMigration {
  const named = podOf({ name: own.spec.sourcePod, owner: 'nobody' });
  return { ...REST, migration: own, open, named, settings: readSettings({ ...env }) };
}

const stepOf = (observed: ObservedMigration): string | undefined => decidedAt(9, observed).step;
const young = migration({ uid: 'young', second: 5 });

describe('MIG-74 at most so many pods move at once', () => {
  const one = { MS2M_MAX_MIGRATIONS: '1' };

  test('without a setting, any number', () => {
    const others = ['1', '2', '3'].map((uid) => migration({ uid, status: BEGUN }));
    expect(stepOf(seen(young, others, {}))).toBe('Lock');
  });

  test('one waits for those that have begun, and says so', () => {
    const others = [migration({ uid: 'other', second: 9, status: BEGUN })];
    const { decision, ...told } = decidedAt(9, seen(young, others, one));
    expect(told).toMatchObject({
      phase: 'Pending',
      step: 'Preflight',
      action: '-',
      message: 'waiting for other migrations: at most 1 at once (MS2M_MAX_MIGRATIONS)',
    });
    expect(decision.status).not.toHaveProperty('handover');
  });

  test('one waits for those that were created before, and not for those after it', () => {
    expect(stepOf(seen(young, [migration({ uid: 'older', second: 1, status: WAITING })], one))).toBe(
      'Preflight',
    );
    expect(stepOf(seen(young, [migration({ uid: 'after', second: 9, status: WAITING })], one))).toBe('Lock');
    // In the same second, the one with the lower uid is first.
    expect(stepOf(seen(young, [migration({ uid: 'x', second: 5 })], one))).toBe('Preflight');
    expect(stepOf(seen(young, [migration({ uid: 'zz', second: 5 })], one))).toBe('Lock');
  });

  test('a dry run counts for nobody', () => {
    const { spec, ...rest } = migration({ uid: 'dry', status: WAITING });
    expect(stepOf(seen(young, [{ ...rest, spec: { ...spec, dryRun: true } }], one))).toBe('Lock');
  });
});

describe('MIG-74 at most so many from or to one node', () => {
  const env = { MS2M_MAX_PER_NODE: '1' };

  test.each<readonly [string, Facts, string]>([
    ['from its own node', { uid: 'o', to: 'c', status: BEGUN }, 'Preflight'],
    ['to its own node', { uid: 'o', to: 'a', status: { ...BEGUN, sourceNode: 'c' } }, 'Preflight'],
    ['to its target node', { uid: 'o', to: 'b', status: { ...BEGUN, sourceNode: 'c' } }, 'Preflight'],
    ['from its target node', { uid: 'o', to: 'c', status: { ...BEGUN, sourceNode: 'b' } }, 'Preflight'],
    ['between other nodes', { uid: 'o', to: 'd', status: { ...BEGUN, sourceNode: 'c' } }, 'Lock'],
    ['from a node that is not known yet', { uid: 'o', to: 'd' }, 'Preflight'],
  ])('another one moves %s', (_title, facts, step) => {
    expect(stepOf(seen(young, [migration(facts)], env))).toBe(step);
  });
});

/** Those of `indexes` are decided at once, by the same cache; some are over. */
function decided(
  moves: readonly StatefulMigration[],
  indexes: readonly number[],
  over: ReadonlySet<string>,
): readonly StatefulMigration[] {
  return moves.map((own, index) => {
    if (!indexes.includes(index) || own.status?.step === 'Lock') return own;
    const open = moves.filter((other) => other !== own && !over.has(other.metadata.uid));
    const { status } = decidedAt(9, seen(own, open, { MS2M_MAX_MIGRATIONS: '2' })).decision;
    return status === undefined ? own : { ...own, status };
  });
}

function moving(moves: readonly StatefulMigration[], over: ReadonlySet<string>): readonly string[] {
  return moves
    .filter(({ metadata, status }) => status?.step === 'Lock' && !over.has(metadata.uid))
    .map(({ metadata }) => metadata.uid);
}

test.each(Array.from({ length: 24 }, (_, round) => round))(
  'MIG-74 whatever the order in which they are decided, the limit holds and all begin in the end: %i',
  (round) => {
    let moves: readonly StatefulMigration[] = ['a', 'b', 'c', 'd'].map((uid, index) =>
      migration({ uid, second: index % 3 }),
    );
    const over = new Set<string>();
    for (let turn = 0; over.size < moves.length && turn < 200; turn++) {
      const indexes = [turn * 7 + round, turn * 5 + round * 3].map((at) => at % moves.length);
      moves = decided(moves, indexes, over);
      const [first, ...others] = moving(moves, over);
      expect(others.length).toBeLessThan(2);
      if (first !== undefined && turn % 3 === 0) over.add(first);
    }
    expect(over.size).toBe(moves.length);
  },
);
