import { readFileSync } from 'node:fs';
import type { Refusal } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../../../../../test/support/seeds.ts';
import type { ClassRuntimeStatus } from '../api.ts';
import { aged, type ClassWorld, NOW, observedIn, stateOf, WORLDS } from '../testing/class-worlds.ts';
import { decideClass, decideRefused, rowOf } from './decide-class.ts';
import { EDGES, isLegal } from './edges.ts';
import { factsOf } from './facts.ts';
import { TABLE } from './table.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** How a server can reject a write: for good, or for now. */
const FORBIDDEN: Refusal = { reason: 'Forbidden', code: 403, message: 'no' };
const OVERLOADED: Refusal = { reason: 'ApplyFailed', code: 503, message: 'no' };

/** A look: what was stored and live, what the row of the table did, and what is stored after it. */
type Look = {
  readonly world: ClassWorld;
  readonly before: ClassRuntimeStatus;
  readonly row: number;
  readonly action: string | undefined;
  readonly requeue: number | undefined;
  readonly after: ClassRuntimeStatus;
};

type Space = { readonly states: ReadonlySet<ClassRuntimeStatus>; readonly looks: readonly Look[] };

type Place = { readonly world: ClassWorld; readonly state: ClassRuntimeStatus };

/** Equal states are one object, and a number is a shorter key than its text. */
const numbers = new Map<ClassRuntimeStatus, number>();

function keyOf({ world, state }: Place): string {
  const number = numbers.get(state) ?? numbers.size;
  numbers.set(state, number);
  return `${Object.values(world).join()} ${number}`;
}

type Decided = Pick<Look, 'action' | 'requeue' | 'after'>;

/** What was decided at each place, which both ways through them ask for. */
const decisions = new Map<string, Decided>();

function decidedIn(place: Place): Decided {
  const key = keyOf(place);
  const known = decisions.get(key);
  if (known !== undefined) return known;
  const {
    action,
    requeueAfter,
    status = place.state,
  } = decideClass(observedIn(place.world, place.state), NOW);
  const decided = { action: action?.type, requeue: requeueAfter, after: stateOf(status) };
  decisions.set(key, decided);
  return decided;
}

/** What is decided at each place where the server rejects a write: most states are reached from many others. */
const refusals = new Map<string, Decided>();

function refusedIn(place: Place, why: Refusal): Decided {
  const key = `${why.reason} ${keyOf(place)}`;
  const known = refusals.get(key);
  if (known !== undefined) return known;
  const next = decideRefused(observedIn(place.world, place.state), why, NOW);
  const refused = {
    action: undefined,
    requeue: next.requeueAfter,
    after: stateOf(next.status ?? place.state),
  };
  refusals.set(key, refused);
  return refused;
}

/**
 * Every state that can be reached from a class without status, through every world at every look, soon or much later. So
 * also from that of a class whose status somebody took away, while its objects are there.
 */
function explore(): Space {
  const states = new Set([stateOf({})]);
  const looks: Look[] = [];
  const reached = new Set<ClassRuntimeStatus>();
  // A Set is iterated in the order of insertion, including what is added meanwhile.
  for (const before of states)
    for (const look of worldsFor(before).flatMap((world) => looksAt(world, before))) {
      looks.push(look);
      if (reached.has(look.after)) continue;
      reached.add(look.after);
      states.add(look.after).add(aged(look.after));
    }
  return { states, looks };
}

/** No class is undeleted. */
function worldsFor({ phase }: ClassRuntimeStatus): readonly ClassWorld[] {
  return phase === 'deleting' ? WORLDS.filter(({ wish }) => wish.startsWith('deleted')) : WORLDS;
}

/** The decision, and what is decided where the server rejects its write. */
function looksAt(world: ClassWorld, before: ClassRuntimeStatus): readonly Look[] {
  const row = rowOf(factsOf(observedIn(world, before), NOW));
  const from = { world, before, row: row === undefined ? -1 : TABLE.indexOf(row) };
  const decided = { ...from, ...decidedIn({ world, state: before }) };
  const { action, after } = decided;
  if (action === undefined) return [decided];
  const rejections = action === 'apply' ? [FORBIDDEN, OVERLOADED] : [FORBIDDEN];
  const rejected = rejections.map((why) => refusedIn({ world, state: after }, why));
  return [decided, ...rejected.map((rest) => ({ ...from, before: after, ...rest }))];
}

function titleOf({ phase, lifecycle }: ClassRuntimeStatus): string {
  return `${phase ?? 'none'}/${lifecycle?.reason ?? ''}`;
}

function describeLook({ world, before, after, row }: Look): string {
  return `${titleOf(before)} -> ${titleOf(after)} by row ${row + 1} in ${Object.values(world).join(', ')}`;
}

const long = isLong ? '' : ' [needs npm run test:long]';
describe.runIf(isLong)(`all states of a class${long}`, () => {
  let space: Space;
  let reasons: ReadonlySet<string>;
  beforeAll(() => {
    space = explore();
    reasons = new Set([...space.states].map((status) => titleOf(status)));
  });

  test('every transition is a legal edge, and every edge is taken', () => {
    const illegal = space.looks.filter(({ before, after }) => !isLegal(before.phase, after.phase));
    expect(illegal.map((look) => describeLook(look))).toEqual([]);
    const taken = new Set(space.looks.map(({ before, after }) => `${before.phase} -> ${after.phase}`));
    const all = EDGES.map(({ from, to }) => `${from} -> ${to}`);
    // A class without objects is another class.
    expect(all.filter((edge) => !taken.has(edge))).toEqual(['pending -> available']);
  });

  test('every row of the table decides somewhere', () => {
    const rows = new Set(space.looks.map(({ row }) => row));
    expect(TABLE.filter((_row, index) => !rows.has(index)).map(({ when }) => when)).toEqual([]);
  });

  test('every look writes, or waits for a stated time, or for a change where nothing is left to do', () => {
    const resting = ['being deleted, without our finalizer', 'paused', 'all ready'];
    const idle = space.looks.filter(
      ({ row, action, requeue }) =>
        action === undefined && requeue === undefined && !resting.includes(TABLE[row]?.when ?? ''),
    );
    expect(idle.map((look) => describeLook(look))).toEqual([]);
  });

  test('every state has an exit: to another phase, or the object is gone', () => {
    const left = space.looks.filter(
      ({ before, after, action }) => before.phase !== after.phase || action === 'removeFinalizer',
    );
    const titles = new Set(left.map(({ before }) => titleOf(before)));
    expect([...reasons].filter((title) => !titles.has(title))).toEqual([]);
  });

  test('no livelock: in a world that stays, and does what is written, each class comes to rest in one phase', () => {
    const restless = [...space.states].flatMap((state) =>
      worldsFor(state).flatMap((world) =>
        comesToRest(world, state) ? [] : [`${titleOf(state)} in ${Object.values(world).join(', ')}`],
      ),
    );
    expect(restless).toEqual([]);
  });

  test('the README has the numbers', () => {
    const pairs = new Set(
      space.looks.map(({ world, before }) => `${before.phase} ${Object.values(world).join(' ')}`),
    );
    const counts = [
      `${space.states.size} states of ${reasons.size} phases with their reasons`,
      `${WORLDS.length} observation classes`,
      `${pairs.size} pairs of a phase and an observation class`,
      `${space.looks.length} decisions`,
    ];
    expect(README).toContain(counts.join(', '));
  });
});

/** The places from which every way is known to come to rest. */
const resting = new Set<string>();

/** Follows a class for as long as it moves: it may return to a place only if it did not change its phase meanwhile. */
function comesToRest(world: ClassWorld, state: ClassRuntimeStatus): boolean {
  const phases: (string | undefined)[] = [];
  const path = new Map<string, number>();
  let place: Place = { world, state };
  for (let key = keyOf(place); !resting.has(key); key = keyOf(place)) {
    const first = path.get(key);
    if (first !== undefined && new Set(phases.slice(first)).size > 1) return false;
    if (first !== undefined) break;
    path.set(key, phases.length);
    phases.push(place.state.phase);
    place = settled(place);
  }
  for (const key of path.keys()) resting.add(key);
  return true;
}

/** One reconcile, looks and writes until nothing is left to write, and a long time after it. */
function settled(from: Place): Place {
  let { world, state } = from;
  for (let step = 0; step < 20; step++) {
    const { action, after } = decidedIn({ world, state });
    state = after;
    if (action === undefined) return { world, state: aged(state) };
    world = changed(world, action);
  }
  throw new TypeError(
    `never comes to rest: ${titleOf(from.state)} in ${Object.values(from.world).join(', ')}`,
  );
}

/** The world after a write that the server has accepted. */
function changed(world: ClassWorld, action: string): ClassWorld {
  const isChild = world.wish === 'deleted' && action === 'delete';
  return { ...world, ...CHANGES[isChild ? 'deleteChild' : action] };
}

const CHANGES: Readonly<Record<string, Partial<ClassWorld>>> = {
  ensureFinalizer: { wish: 'as it is' },
  removeFinalizer: { wish: 'deleted, not ours' },
  delete: { orphans: 'no orphans' },
  deleteChild: { children: 'none', orphans: 'no orphans' },
  apply: { children: 'ready' },
};
