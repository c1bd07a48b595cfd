import { setTimeout as delay } from 'node:timers/promises';
import type { Comparison, ComparisonRow } from '../comparison.ts';
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
const RUNS = 5;
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
export async function benchMigration({ runs = RUNS, rates, base }: Options): Promise<Comparison> {
  const chosen = RATES.filter(({ perSecond }) => rates?.includes(perSecond) ?? true);
  const title = `a StatefulSet's pod moves under load, over RabbitMQ; ${runs} runs each, medians of times, sums of messages`;
  return withShop(2, async (shop) => {
    if (base !== undefined)
      return { title, sides: ['kubewright', base], rows: await besideBase(shop, base, chosen, runs) };
    const rows: ComparisonRow[] = [];
    for (const rate of chosen) {
      const ours = await oneByOne(shop, rate, runs);
      const theirs = await atOnce(shop, rate, runs);
      rows.push(...rowsOf(rate, ours, theirs, BESIDE_ORIGINAL));
    }
    return { title, sides: ['kubewright', 'original'], rows };
  });
}

/** By turns, each in a shop of its own: what else the machine does meets both. */
function besideBase(
  ours: Shop<RabbitMqBroker>,
  base: string,
  rates: readonly Rate[],
  runs: number,
): Promise<readonly ComparisonRow[]> {
  const measure = async (theirs: Shop<RabbitMqBroker>): Promise<readonly ComparisonRow[]> => {
    const rows: ComparisonRow[] = [];
    for (const rate of rates) {
      const results: Record<'ours' | 'theirs', Result[]> = { ours: [], theirs: [] };
      for (let run = 1; run <= runs; run++) {
        results.ours.push(await move(ours, 'sdk', rate, run));
        results.theirs.push(await move(theirs, 'sdk', rate, run));
      }
      rows.push(...rowsOf(rate, results.ours, results.theirs, BESIDE_BASE));
    }
    return rows;
  };
  return withShop(2, measure, base);
}

async function oneByOne(shop: Shop<RabbitMqBroker>, rate: Rate, runs: number): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let run = 1; run <= runs; run++) results.push(await move(shop, 'sdk', rate, run));
  return results;
}

/** Most of its time the original waits, for fixed times: runs beside each other take as long as one. */
function atOnce(shop: Shop<RabbitMqBroker>, rate: Rate, runs: number): Promise<readonly Result[]> {
  return Promise.all(Array.from({ length: runs }, (_, index) => move(shop, 'original', rate, index + 1)));
}

async function move(shop: Shop<RabbitMqBroker>, side: Side, rate: Rate, run: number): Promise<Result> {
  const name = `${side}-${rate.perSecond}-${rate.producers}-${run}`;
  const app = await startApplication(shop, name, side, rate);
  try {
    const result = await moved(shop, side, app);
    console.error(`${name}: ${JSON.stringify(result)}`);
    return result;
  } finally {
    await app.remove();
  }
}

async function moved(shop: Shop<RabbitMqBroker>, side: Side, app: Application): Promise<Result> {
  await delay(WARM_MS);
  const began = Date.now();
  const isCut = side === 'sdk' ? await migrate(shop, app) : await asOriginal(shop, app);
  const ended = Date.now();
  const { metadata } = await ready(shop, app.pod);
  const messages = await compareMessages(shop.workers, metadata.uid, await app.producers.stop());
  return {
    ...messages,
    digestsEqual: isCut && messages.digestsEqual,
    total: (ended - began) / 1000,
    pause: longestPause(shop.workers.processesOf(app.name), began, ended),
  };
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
