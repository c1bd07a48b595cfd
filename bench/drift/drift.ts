import { latencyOf } from '../admission/latency.ts';
import type { Comparison, ComparisonRow } from '../comparison.ts';
import { median } from '../median.ts';
import { play, type Round } from './load.ts';
import { scaleRows } from './at-scale.ts';
import { type WebhookPair, withWebhookPair } from './webhook-pair.ts';

/** Milliseconds by which the API server answers late. */
const LATENCIES = [0, 1, 5];
/** Requests at a time. */
const CONCURRENCIES = [1, 8, 32];
/** Rounds of each webhook for each of both, and writes of each kind in a round. The first round only warms up. */
const [ROUNDS, TIMES] = [6, 40];

type Load = { readonly latency: number; readonly concurrency: number };
type Row = Omit<ComparisonRow, 'ours' | 'theirs'>;

/**
 * Decisions of our webhook process beside those of the original's, or of another checkout that was built (`--base`): same
 * writes, same API server. Without the original, beside what they may take.
 */
export function benchDrift({ base }: { readonly base?: string }): Promise<Comparison> {
  return withWebhookPair(async (pair) => {
    const rows = await readRows(pair);
    const before = pair.webhooks.map((webhook) => webhook.cpu());
    const rates: ComparisonRow[] = [];
    for (const latency of LATENCIES) {
      await pair.setLatency(latency);
      for (const concurrency of CONCURRENCIES) {
        const load = { latency, concurrency };
        rates.push(...rateRows(load, await measure(pair, load)));
      }
    }
    const decisions = LATENCIES.length * CONCURRENCIES.length * ROUNDS * TIMES * (pair.writes.length - 1);
    const cpu = pair.webhooks.map((webhook, side) => (webhook.cpu() - (before[side] ?? 0)) / decisions);
    rows.push(row({ name: 'a decision on a core', unit: 'ms', target: 1, better: 'less' }, cpu, 2));
    rows.push(...(await scaleRows(base)));
    const isAlone = pair.webhooks.length === 1;
    return {
      title: `decisions on five kinds of writes that are allowed${isAlone ? ' (beside them: what they may take)' : ''}`,
      sides: ['kubewright', isAlone ? 'at most' : (base ?? 'kausality')],
      rows: [...rows, memoryRow(pair), ...rates],
    };
  }, base);
}

/** `limit` stands for the original, where it is not there. */
function row(about: Row, [ours = 0, theirs]: readonly number[], limit: number): ComparisonRow {
  return { ...about, ours, theirs: theirs ?? limit };
}

function memoryRow({ webhooks }: WebhookPair): ComparisonRow {
  const about = { name: 'memory of the process afterwards', unit: 'MB', target: 1, better: 'less' } as const;
  return row(
    about,
    webhooks.map((webhook) => webhook.memory()),
    200,
  );
}

/** The reads of a decision, where one of the webhooks reads at all. */
async function readRows({ webhooks, writes, reads }: WebhookPair): Promise<ComparisonRow[]> {
  const rows: ComparisonRow[] = [];
  for (const write of writes) {
    let sent = 0;
    // The first ones meet a parent that nothing is known of yet.
    for (const times of [1, 10]) {
      await reads();
      for (const { target } of webhooks) ({ sent } = await play(target, [write], { concurrency: 1, times }));
    }
    const counts = (await reads()).slice(0, webhooks.length).map((count) => count / sent);
    const about = { name: `reads: ${write.name}`, unit: 'calls', target: 0.5, better: 'less' } as const;
    if (counts.some((count) => count > 0)) rows.push(row(about, counts, 4));
  }
  return rows;
}

/** One webhook after the other, again and again: what the machine does besides falls on both alike. */
async function measure({ webhooks, writes }: WebhookPair, { concurrency }: Load): Promise<Round[][]> {
  const rounds: Round[][] = webhooks.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    // A denial reads the server again; these rows are about what is allowed.
    for (const [side, { target }] of webhooks.entries())
      rounds[side]?.push(
        await play(
          target,
          writes.filter(({ allowed }) => allowed),
          { concurrency, times: TIMES },
        ),
      );
  return rounds.map((all) => all.slice(1));
}

function rateRows({ latency, concurrency }: Load, sides: readonly (readonly Round[])[]): ComparisonRow[] {
  const of = (take: (round: Round) => number): number[] => sides.map((rounds) => median(rounds.map(take)));
  const about = (name: string) => `API ${latency} ms late, ${concurrency} at a time: ${name}`;
  const less = { unit: 'ms', target: 1, better: 'less' } as const;
  // A decision has to be fast; a rate below a decision's limit follows from that.
  const limit = (decision: number): number => concurrency * decision + 2 * latency;
  return [
    row(
      { name: about('p50'), ...less },
      of(({ took }) => latencyOf(took).p50),
      limit(2),
    ),
    row(
      { name: about('p99'), ...less, target: 0.5 },
      of(({ took }) => latencyOf(took).p99),
      limit(10),
    ),
    row(
      { name: about('rate'), unit: '1/s', target: 1, better: 'more' },
      of(({ took, seconds }) => took.length / seconds),
      (concurrency * 1000) / limit(2),
    ),
  ];
}
