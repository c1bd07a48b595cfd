import { describe, expect, test } from 'vitest';
import { checkMigratable, type CheckOptions, type Stateful } from './check-migratable.ts';
import type { Message } from './messages.ts';

type Sale = { readonly item: string; readonly count: number };

const MESSAGES: readonly Message[] = Array.from({ length: 40 }, (_, index) => ({
  body: {
    producer: index % 2 === 0 ? 'till' : 'web',
    seq: index,
    item: `item-${index % 5}`,
    count: index % 3,
  },
}));

/** Sums by item, and the way it does one thing differently. */
function totals(more: Partial<Stateful> = {}): Stateful {
  let sums: Record<string, number> = {};
  return {
    apply: ({ body }) => {
      const { item, count } = body as Sale;
      sums[item] = (sums[item] ?? 0) + count;
    },
    snapshot: () => sums,
    restore: (state) => void (sums = state as Record<string, number>),
    ...more,
  };
}

/** Counts messages, and keeps something else of each. */
function noting(note: (message: Message) => unknown): Stateful {
  let notes: unknown[] = [];
  return {
    apply: (message) => void notes.push(note(message)),
    snapshot: () => notes,
    restore: (state) => void (notes = state as unknown[]),
  };
}

const check = (create: () => Stateful, more: Partial<CheckOptions> = {}) =>
  checkMigratable({ create, messages: MESSAGES, ...more });

test('an application that can move has no problem', async () => {
  expect(await check(totals)).toEqual([]);
});

test('neither has one that awaits, nor one without messages', async () => {
  const slow = (): Stateful => {
    const app = totals();
    return { ...app, apply: async (message) => app.apply(message) };
  };
  expect(await check(slow)).toEqual([]);
  expect(await check(totals, { messages: [] })).toEqual([]);
});

test.each<readonly [string, () => Stateful, RegExp]>([
  ['the time', () => noting(() => Date.now()), /after message 1 .* time and random numbers/],
  ['the date', () => noting(() => new Date().toISOString()), /after message 1 .* time and random numbers/],
  ['chance', () => noting(() => Math.random()), /after message 1 .* time and random numbers/],
])('a state that depends on %s is another one tomorrow', async (_what, create, problem) => {
  expect(await check(create)).toEqual([expect.stringMatching(problem)]);
});

test('a date that is in the message is not of the time', async () => {
  expect(
    await check(() => noting(({ body }) => new Date((body as { seq: number }).seq).toISOString())),
  ).toEqual([]);
});

describe('what is found of a state', () => {
  test('that a snapshot lacks something', async () => {
    const create = (): Stateful => {
      let [seen, odd] = [0, 0];
      return {
        apply: () => {
          seen += 1;
          if (seen % 2 === 1) odd += 1;
        },
        snapshot: () => ({ odd }),
        restore: (state) => void ({ odd } = state as { odd: number }),
      };
    };
    expect(await check(create)).toEqual([
      'moved after message 1, the state after message 2 is another one: snapshot() lacks something',
    ]);
  });

  test('that it is not restored', async () => {
    expect(await check(() => totals({ restore: () => undefined }))).toEqual([
      'restore() after message 0 leaves something of the state that was there before',
    ]);
  });

  test('that it is restored beside what was there', async () => {
    const create = (): Stateful => {
      const sums: Record<string, number> = {};
      return {
        ...totals(),
        snapshot: () => sums,
        restore: (state) => void Object.assign(sums, state),
        apply: ({ body }) => void (sums[(body as Sale).item] = 1),
      };
    };
    expect(await check(create)).toEqual([
      'restore() after message 0 leaves something of the state that was there before',
    ]);
  });

  test('that it depends on the order of keys, which does not move', async () => {
    const create = (): Stateful => {
      let items: Record<string, string> = {};
      return {
        apply: ({ body }) => {
          const { item } = body as Sale;
          items[item] = Object.keys(items)[0] ?? item;
        },
        snapshot: () => items,
        restore: (state) => void (items = state as Record<string, string>),
      };
    };
    const messages = ['b', 'a', 'c'].map((item, seq) => ({ body: { seq, item } }));
    expect(await check(create, { messages })).toEqual([
      'moved after message 2, the state after message 3 is another one: snapshot() lacks something',
    ]);
  });

  test.each<readonly [string, unknown]>([
    ['a Map', new Map([['a', 1]])],
    ['a Date', { at: new Date(0) }],
    ['undefined', { a: undefined }],
    ['nothing', undefined],
    ['what is no number', { a: Number.NaN }],
  ])('that %s is no JSON', async (_what, state) => {
    expect(await check(() => totals({ snapshot: () => state }))).toEqual([
      expect.stringContaining('after message 0 snapshot() has what JSON does not keep'),
    ]);
  });

  test('that a message cannot be applied', async () => {
    const apply = (): void => {
      throw new RangeError('too much');
    };
    expect(await check(() => totals({ apply }))).toEqual([
      'message 1 cannot be applied: RangeError: too much',
    ]);
  });
});

describe('what is found of the numbers of messages', () => {
  test.each<readonly [string, readonly unknown[], RegExp]>([
    ['one without a number', [{ seq: 1 }, {}], /^message 2 has no number/],
    ['one that goes down', [{ seq: 2 }, { seq: 1 }], /^message 2 of producer "" has number 1 after 2/],
    ['one that comes twice', [{ seq: 2 }, { seq: 2 }], /^message 2 of producer "" has number 2 after 2/],
    [
      'too many producers',
      Array.from({ length: 65 }, (_, index) => ({ producer: `p${index}`, seq: 1 })),
      /^there are 65 producers/,
    ],
  ])('%s', async (_what, bodies, problem) => {
    const messages = bodies.map((body) => ({ body }));
    expect(await check(() => noting(() => 1), { messages })).toEqual([expect.stringMatching(problem)]);
  });

  test('nothing where the application knows them otherwise', async () => {
    const messages = [1, 2, 3].map((id) => ({ body: { id } }));
    const identify = ({ body }: Message) => ({ producer: '', seq: (body as { id: number }).id });
    expect(await check(() => noting(() => 1), { messages, identify })).toEqual([]);
  });
});

test('a long sequence is cut at some places, its ends among them', async () => {
  const messages = Array.from({ length: 1000 }, (_, seq) => ({ body: { seq, item: 'a', count: 1 } }));
  let restored: unknown[] = [];
  const create = (): Stateful => {
    const app = totals();
    return { ...app, restore: (state) => (restored.push(structuredClone(state)), app.restore(state)) };
  };
  expect(await check(create, { messages })).toEqual([]);
  restored = restored.filter((_state, index) => index % 2 === 0);
  expect(restored).toHaveLength(51);
  expect([restored.at(0), restored.at(-1)]).toEqual([{}, { a: 1000 }]);
});

test('clock and random numbers are as before afterwards', async () => {
  const before = [globalThis.Date, Math.random];
  await check(() => noting(() => new RangeError('not JSON')));
  expect(globalThis.Date).toBe(before[0]);
  expect(Math.random).toBe(before[1]);
});
