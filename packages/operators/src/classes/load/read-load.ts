import type { Signals } from './load.ts';
import type { MetricsSource, Series } from './metrics-source.ts';
import { type Asked, loadQueries, type LoadQueries } from './queries.ts';

/** A query names so many pods at most. */
const CHUNK = 50;
/** Of this part of the pods, at least, there is a value, or there is none of all. */
const ENOUGH = 0.6;

/** Reads the load of some pods; `undefined` where not enough of it is known. Rejects where CPU was not answered for. */
export async function readLoad(
  source: MetricsSource,
  { pods, ...asked }: Asked,
  signal: AbortSignal,
): Promise<Signals | undefined> {
  if (pods.length === 0) return undefined;
  const chunks = Array.from({ length: Math.ceil(pods.length / CHUNK) }, (_, index) =>
    loadQueries({ ...asked, pods: pods.slice(index * CHUNK, (index + 1) * CHUNK) }),
  );
  const read = (name: keyof LoadQueries): Promise<readonly Series[]> =>
    Promise.all(chunks.map((queries) => source.query(queries[name], signal))).then((all) => all.flat());
  const [cpu, rps, p99] = await Promise.allSettled([read('cpu'), read('rps'), read('p99')]);
  if (cpu.status === 'rejected') throw cpu.reason;
  const total = totalOf(cpu.value, pods);
  if (total === undefined) return undefined;
  return {
    cpu: total,
    rps: rps.status === 'rejected' ? undefined : sumOf(rps.value),
    p99: p99.status === 'rejected' ? undefined : maxOf(p99.value),
  };
}

/** A pod without a value counts as the mean of the others. A series without the label `pod` is the total already. */
function totalOf(series: readonly Series[], pods: readonly string[]): number | undefined {
  const sum = sumOf(series);
  const known = new Set(series.flatMap(({ labels }) => labels['pod'] ?? []));
  if (sum === undefined || known.size === 0) return sum;
  return known.size < ENOUGH * pods.length ? undefined : (sum * pods.length) / known.size;
}

function sumOf(series: readonly Series[]): number | undefined {
  const values = valuesOf(series);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

function maxOf(series: readonly Series[]): number | undefined {
  const values = valuesOf(series);
  return values.length === 0 ? undefined : Math.max(...values);
}

/** No load is below 0. */
function valuesOf(series: readonly Series[]): readonly number[] {
  return series.map(({ value }) => value).filter((value) => value >= 0);
}
