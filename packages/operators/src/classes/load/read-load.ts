import type { Signals } from '../class-load.ts';
import type { MetricsSource, Series } from './metrics-source.ts';
import { type LoadTarget, loadQueries, type LoadQueries } from './load-queries.ts';

/** The most pods in one query. */
const CHUNK = 50;
/** If fewer pods than this share have a value, the load is unknown. */
const ENOUGH = 0.6;

/** Reads the load of some pods; `undefined` if too few of them have a value. Rejects when the CPU query fails. */
export async function readLoad(
  source: MetricsSource,
  { pods, ...asked }: LoadTarget,
  signal: AbortSignal,
): Promise<Signals | undefined> {
  if (pods.length === 0) return undefined;
  const chunks = Array.from({ length: Math.ceil(pods.length / CHUNK) }, (_, index) =>
    loadQueries({ ...asked, pods: pods.slice(index * CHUNK, (index + 1) * CHUNK) }),
  );
  const read = (name: keyof LoadQueries): Promise<readonly Series[]> =>
    Promise.all(chunks.map((queries) => source.query(queries[name], signal))).then((all) => all.flat());
  const [cpu, memory, rps, p99] = await Promise.allSettled([
    read('cpu'),
    read('memory'),
    read('rps'),
    read('p99'),
  ]);
  if (cpu.status === 'rejected') throw cpu.reason;
  const total = sumOf(cpu.value);
  const known = knownOf(cpu.value, pods);
  if (total === undefined || known < ENOUGH * pods.length) return undefined;
  return {
    cpu: total,
    podCpu: ninthOfTen(cpu.value),
    // A container that runs uses some.
    memory: memory.status === 'rejected' ? undefined : maxOf(memory.value) || undefined,
    isPartial: known < pods.length ? true : undefined,
    rps: rps.status === 'rejected' ? undefined : sumOf(rps.value),
    p99: p99.status === 'rejected' ? undefined : maxOf(p99.value),
  };
}

/** How many of the pods have a value. A series without the label `pod` is the sum of all. */
function knownOf(series: readonly Series[], pods: readonly string[]): number {
  const known = new Set(series.flatMap(({ labels }) => labels['pod'] ?? []));
  return known.size === 0 ? pods.length : known.size;
}

/** Of pods, sorted by what they use, the one that uses more than nine of ten. */
function ninthOfTen(series: readonly Series[]): number | undefined {
  const values = valuesOf(series.filter(({ labels }) => labels['pod'] !== undefined)).toSorted(
    (a, b) => a - b,
  );
  return values[Math.ceil(values.length * 0.9) - 1];
}

function sumOf(series: readonly Series[]): number | undefined {
  const values = valuesOf(series);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

function maxOf(series: readonly Series[]): number | undefined {
  const values = valuesOf(series);
  return values.length === 0 ? undefined : Math.max(...values);
}

/** Drops negative values. */
function valuesOf(series: readonly Series[]): readonly number[] {
  return series.map(({ value }) => value).filter((value) => value >= 0);
}
