import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { STATEFUL_MIGRATIONS, type StatefulMigration } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { checkApplied } from '../../packages/operators/src/migration/testing/check-applied.ts';
import type { Comparison, ComparisonRow } from '../comparison.ts';
import { median } from '../median.ts';
import { type Applied, followPods, longestPause } from './follow-pods.ts';
import { migrateAsOriginal } from './migrate-as-original.ts';
import { type Application, type Rate, ready, startApplication } from './start-application.ts';
import { EXCHANGE, NAMESPACE, type Shop, withShop } from './with-shop.ts';

const RATES: readonly Rate[] = [
  ...[10, 40, 60, 80, 120].map((perSecond) => ({ perSecond, producers: 1 })),
  { perSecond: 120, producers: 4 },
];
/** From this rate on the total may be a third of the original's. */
const FAST = 80;
const RUNS = 5;
/** How long messages come before the pod moves. */
const WARM_MS = 3000;
const NO_BUDGET = Number.POSITIVE_INFINITY;
const OVER = ['Completed', 'Failed', 'Rejected', 'Aborted'];
const PATIENT = { timeoutMs: 600_000 };

type Options = {
  readonly runs?: number;
  /** Messages per second. Default: all. */
  readonly rates?: readonly number[];
};

type Side = 'sdk' | 'original';
type Result = {
  readonly published: number;
  readonly applied: number;
  readonly missing: number;
  readonly double: number;
  /** What was published and what the survivor has, by one digest each, and of ours those at the cut too. */
  readonly isEqual: boolean;
  readonly total: number;
  readonly pause: number;
};

/**
 * The pod of a StatefulSet moves to another node under load, as our operator moves it and as the original's does; the same
 * cluster, RabbitMQ and rate of the consumer. What was published and what the survivor has is compared message by message.
 */
export async function benchMigration({ runs = RUNS, rates }: Options): Promise<Comparison> {
  return withShop(2, async (shop) => {
    const rows: ComparisonRow[] = [];
    for (const rate of RATES.filter(({ perSecond }) => rates?.includes(perSecond) ?? true)) {
      const [ours, theirs] = [
        await runsOf(shop, 'sdk', rate, runs),
        await runsOf(shop, 'original', rate, runs),
      ];
      rows.push(...rowsOf(rate, ours, theirs));
    }
    return {
      title: `a StatefulSet's pod moves under load, over RabbitMQ; ${runs} runs each, medians of times, sums of messages`,
      sides: ['kubewright', 'original'],
      rows,
    };
  });
}

async function runsOf(shop: Shop, side: Side, rate: Rate, runs: number): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let run = 1; run <= runs; run++) {
    const name = `${side}-${rate.perSecond}-${rate.producers}-${run}`;
    const result = await move(shop, side, rate, name);
    results.push(result);
    console.error(`${name}: ${JSON.stringify(result)}`);
  }
  return results;
}

async function move(shop: Shop, side: Side, rate: Rate, name: string): Promise<Result> {
  const app = await startApplication(shop, name, side, rate);
  const followed = followPods(shop, name);
  try {
    await delay(WARM_MS);
    const targetNode = app.source.spec.nodeName === 'node-1' ? 'node-2' : 'node-1';
    const began = Date.now();
    const isCut = side === 'sdk' ? await migrate(shop, app, targetNode) : true;
    if (side === 'original') await migrateAsOriginal({ shop, app, targetNode });
    const ended = Date.now();
    const survivor = await ready(shop, app.pod);
    const published = await app.published();
    const applied = await settled(() => followed.of(survivor.metadata.uid));
    const { missing, double } = checkApplied(applied, published);
    return {
      published: [...published.values()].reduce((sum, one) => sum + one, 0),
      applied: applied.length,
      missing: missing.length,
      double: double.length,
      isEqual: isCut && digestOf(applied) === digestOf(messagesOf(published)),
      total: (ended - began) / 1000,
      pause: longestPause(followed.firsts(), began, ended),
    };
  } finally {
    await app.remove();
    await followed.stop();
  }
}

/** Whether both digests were equal at the cut. */
async function migrate({ client, url }: Shop, app: Application, targetNode: string): Promise<boolean> {
  const { queue, pod: sourcePod, name } = app;
  const key = { namespace: NAMESPACE, name };
  const messageQueueConfig = { queueName: queue, exchangeName: EXCHANGE, routingKey: queue, brokerUrl: url };
  await client.create<KubeObject>(STATEFUL_MIGRATIONS, {
    apiVersion: 'migration.ms2m.io/v1alpha1',
    kind: 'StatefulMigration',
    metadata: key,
    spec: { sourcePod, targetNode, messageQueueConfig },
  });
  const isOver = (live: StatefulMigration | undefined): boolean => OVER.includes(live?.status?.phase ?? '');
  const live = await waitForObject(client, STATEFUL_MIGRATIONS, key, isOver, PATIENT);
  const { phase, message, handover } = (live as Stored<StatefulMigration> | undefined)?.status ?? {};
  if (phase !== 'Completed') throw new TypeError(`${name} is ${phase}: ${message}`);
  const pod = await client.get(corev1.pods, { namespace: NAMESPACE, name: sourcePod });
  const { digest, targetDigest } = handover?.cut ?? {};
  return pod.spec.nodeName === targetNode && digest !== undefined && digest === targetDigest;
}

/** Once nothing more has come for three seconds: the queue is empty, however long it was. */
async function settled(read: () => readonly Applied[]): Promise<readonly Applied[]> {
  for (let before = -1; before < read().length; ) {
    before = read().length;
    await delay(3000);
  }
  return read();
}

function messagesOf(published: ReadonlyMap<string, number>): readonly Applied[] {
  return [...published].flatMap(([producer, last]) =>
    Array.from({ length: last }, (_, index) => ({ producer, seq: index + 1 })),
  );
}

/** Of the messages of each producer, in their order. */
function digestOf(messages: readonly Applied[]): string {
  const byProducer = new Map<string, number[]>();
  for (const { producer, seq } of messages) {
    const own = byProducer.get(producer) ?? [];
    own.push(seq);
    byProducer.set(producer, own);
  }
  const sorted = [...byProducer].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

function rowsOf(
  { perSecond, producers }: Rate,
  ours: readonly Result[],
  theirs: readonly Result[],
): readonly ComparisonRow[] {
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
    row('digests differ', 'runs', 0, (results) => results.filter(({ isEqual }) => !isEqual).length),
    row('total', 's', perSecond >= FAST ? 1 / 3 : NO_BUDGET, middle('total')),
    row('pause', 's', NO_BUDGET, middle('pause')),
  ];
}
