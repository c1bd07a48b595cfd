import { setTimeout as delay } from 'node:timers/promises';
import { type Comparison, type ComparisonRow, formatComparison } from '../comparison.ts';
import { median } from '../median.ts';
import { compareMessages, type Messages } from './compare-messages.ts';
import { longestPause } from './longest-pause.ts';
import { migrateAsOriginal } from './migrate-as-original.ts';
import { migrate, otherNode } from '../../test/shop/migrate.ts';
import { type Application, ready, startApplication } from '../../test/shop/start-application.ts';
import type { Rate } from '../../test/shop/start-producers.ts';
import type { RabbitMqBroker } from '../../test/shop/rabbitmq-broker.ts';
import { type Shop, withShop } from '../../test/shop/with-shop.ts';

const RATES: readonly Rate[] = [
  ...[10, 40, 60, 80, 120].map((perSecond) => ({ perSecond, producers: 1 })),
  { perSecond: 120, producers: 4 },
];
/** From this rate on there are budgets of times: a third of the original's total; half of the base's pause, in no more time. */
const FAST = 80;
/** From {@link FAST} on, and below: all rates then take less than five minutes. */
const [RUNS, SLOW_RUNS] = [2, 1];
/** So many runs of the original are beside each other at each rate: more would wait for the machine. */
const AT_ONCE = 2;
/** How long messages come before the pod moves. */
const WARM_MS = 3000;
const NO_BUDGET = Number.POSITIVE_INFINITY;

type Budgets = { readonly total: number; readonly pause: number };
const BESIDE_ORIGINAL: Budgets = { total: 1 / 3, pause: NO_BUDGET };
const BESIDE_BASE: Budgets = { total: 1, pause: 1 / 2 };

type Options = {
  readonly runs?: number;
  /** Messages per second. Default: all. */
  readonly rates?: readonly number[];
  /** Another checkout, which was built: it is moved by its operator, with its SDK, in the place of the original. */
  readonly base?: string;
};

type Side = 'sdk' | 'original';
type Result = Messages & {
  /** Seconds. */
  readonly total: number;
  readonly pause: number;
};

/**
 * The pod of a StatefulSet moves to another node under load, as our operator moves it and as the original's does; the same
 * cluster, RabbitMQ and rate of the consumer. What was published and what the survivor has is compared message by message.
 */
export async function benchMigration({ runs, rates, base }: Options): Promise<Comparison> {
  const chosen = RATES.filter(({ perSecond }) => rates?.includes(perSecond) ?? true).map((rate) => ({
    ...rate,
    runs: runs ?? (rate.perSecond >= FAST ? RUNS : SLOW_RUNS),
  }));
  const each = runs ?? `${RUNS} (below ${FAST} messages a second ${SLOW_RUNS})`;
  const title = `a StatefulSet's pod moves under load, over RabbitMQ; ${each} runs of each rate, medians of times, sums of messages`;
  const sides = ['kubewright', base ?? 'original'] as const;
  const report = (rows: readonly ComparisonRow[]): readonly ComparisonRow[] => {
    console.error(formatComparison({ title: '', sides, rows }));
    return rows;
  };
  return withShop(2, async (shop) => {
    const measure = base === undefined ? besideOriginal : besideBase(base);
    return { title, sides, rows: await measure({ shop, rates: chosen, report }) };
  });
}

type Measured = Rate & { readonly runs: number };

type Plan = {
  readonly shop: Shop<RabbitMqBroker>;
  readonly rates: readonly Measured[];
  /** The rows of a rate, as soon as they are there. */
  readonly report: (rows: readonly ComparisonRow[]) => readonly ComparisonRow[];
};

/** By turns, each in a shop of its own: what else the machine does meets both. */
function besideBase(base: string): (plan: Plan) => Promise<readonly ComparisonRow[]> {
  return ({ shop, rates, report }) =>
    withShop(
      2,
      async (theirs) => {
        const rows: ComparisonRow[] = [];
        for (const rate of rates) {
          const [ours = [], others = []] = await byTurns([shop, theirs], rate);
          rows.push(...report(rowsOf(rate, ours, others, BESIDE_BASE)));
        }
        return rows;
      },
      base,
    );
}

async function besideOriginal({ shop, rates, report }: Plan): Promise<readonly ComparisonRow[]> {
  const theirs = await atOnce(shop, rates);
  const rows: ComparisonRow[] = [];
  for (const rate of rates) {
    const [ours = []] = await byTurns([shop], rate);
    rows.push(...report(rowsOf(rate, ours, theirs.get(rate) ?? [], BESIDE_ORIGINAL)));
  }
  return rows;
}

/** In these shops by turns. The next pod starts while the last messages of the one before are applied. */
async function byTurns(
  shops: readonly Shop<RabbitMqBroker>[],
  rate: Measured,
): Promise<readonly (readonly Result[])[]> {
  const results = shops.map((): Promise<Result>[] => []);
  for (let run = 1; run <= rate.runs; run++)
    for (const [index, shop] of shops.entries()) {
      const { compared } = await move(shop, 'sdk', rate, run);
      results[index]?.push(compared);
    }
  return Promise.all(results.map((each) => Promise.all(each)));
}

/** Most of its time the original waits, for fixed times: runs beside each other take as long as one. */
async function atOnce(
  shop: Shop<RabbitMqBroker>,
  rates: readonly Measured[],
): Promise<ReadonlyMap<Rate, readonly Result[]>> {
  const results = new Map<Rate, Result[]>(rates.map((rate) => [rate, []]));
  const most = Math.max(...rates.map(({ runs }) => runs));
  for (let first = 1; first <= most; first += AT_ONCE) {
    const begun = rates.flatMap((rate) =>
      Array.from({ length: Math.max(0, Math.min(AT_ONCE, rate.runs - first + 1)) }, async (_, index) => {
        const { compared } = await move(shop, 'original', rate, first + index);
        results.get(rate)?.push(await compared);
      }),
    );
    await Promise.all(begun);
  }
  return results;
}

/** Resolves when the pod has moved, with what becomes known once all messages are applied. */
async function move(
  shop: Shop<RabbitMqBroker>,
  side: Side,
  rate: Rate,
  run: number,
): Promise<{ readonly compared: Promise<Result> }> {
  const name = `${side}-${rate.perSecond}-${rate.producers}-${run}`;
  const app = await startApplication(shop, name, side, rate);
  try {
    const move = await moved(shop, side, app);
    return { compared: compare(shop, app, move) };
  } catch (error) {
    await app.remove();
    throw error;
  }
}

type Moved = { readonly isCut: boolean; readonly began: number; readonly ended: number };

async function moved(shop: Shop<RabbitMqBroker>, side: Side, app: Application): Promise<Moved> {
  await delay(WARM_MS);
  const began = Date.now();
  const isCut = side === 'sdk' ? await migrate(shop, app) : await asOriginal(shop, app);
  return { isCut, began, ended: Date.now() };
}

async function compare(
  shop: Shop<RabbitMqBroker>,
  app: Application,
  { isCut, began, ended }: Moved,
): Promise<Result> {
  try {
    const { metadata } = await ready(shop, app.pod);
    const messages = await compareMessages(shop.workers, metadata.uid, await app.producers.stop());
    const result = {
      ...messages,
      digestsEqual: isCut && messages.digestsEqual,
      total: (ended - began) / 1000,
      pause: longestPause(shop.workers.processesOf(app.name), began, ended),
    };
    console.error(`${app.name}: ${JSON.stringify(result)}`);
    return result;
  } finally {
    await app.remove();
  }
}

/** Its protocol compares nothing. */
async function asOriginal(shop: Shop<RabbitMqBroker>, app: Application): Promise<true> {
  await migrateAsOriginal({ shop, app, targetNode: otherNode(app) });
  return true;
}

function rowsOf(
  { perSecond, producers }: Rate,
  ours: readonly Result[],
  theirs: readonly Result[],
  budgets: Budgets,
): readonly ComparisonRow[] {
  const { total, pause } = perSecond >= FAST ? budgets : { total: NO_BUDGET, pause: NO_BUDGET };
  const row = (
    what: string,
    unit: string,
    target: number,
    of: (results: readonly Result[]) => number,
  ): ComparisonRow => ({
    name: `${perSecond} msg/s${producers === 1 ? '' : ` of ${producers} producers`}: ${what}`,
    unit,
    ours: of(ours),
    theirs: of(theirs),
    target,
    better: 'less',
  });
  const sum = (field: 'published' | 'applied' | 'missing' | 'double') => (results: readonly Result[]) =>
    results.reduce((total, one) => total + one[field], 0);
  const middle = (field: 'total' | 'pause') => (results: readonly Result[]) =>
    median(results.map((one) => one[field]));
  return [
    row('published', 'messages', NO_BUDGET, sum('published')),
    row('applied', 'messages', NO_BUDGET, sum('applied')),
    row('missing', 'messages', 0, sum('missing')),
    row('applied twice', 'messages', 0, sum('double')),
    row('digests differ', 'runs', 0, (results) => results.filter(({ digestsEqual }) => !digestsEqual).length),
    row('total', 's', total, middle('total')),
    row('pause', 's', pause, middle('pause')),
  ];
}
