import { defined, errorText } from '@kubewright/kube';
import { type LoadProblem, REQUEST_FORMS, type RequestForm, type Signals } from '../class-load.ts';
import { type Coverage, coverageOf, podsIn } from './coverage.ts';
import {
  CPU,
  coverageQueries,
  FORM,
  type LoadQueries,
  loadQueries,
  type LoadTarget,
  type Signal,
} from './load-queries.ts';
import type { MetricsAnswer, MetricsSource, Series } from './metrics-source.ts';

/** The most pods in one query. */
const CHUNK = 50;
/** If fewer pods than this share have a value, the load is unknown. */
const ENOUGH = 0.6;

/** Seconds between two samples. */
export type Intervals = { readonly [signal in Signal]?: number | undefined };

/** What a source has of a load. Without `signals`, it is not known; `problem` says why, or what of it is not. */
export type LoadReading = {
  readonly signals?: Signals;
  /** Seconds since the newest sample. */
  readonly age?: number;
  readonly problem?: LoadProblem;
  /** Those of this range. */
  readonly intervals?: Intervals;
  /** Nobody counts requests in the form that was asked for. */
  readonly hasNoRequests?: boolean;
};

/**
 * Reads the load of some pods, as it was when the newest sample was taken. Rejects when it cannot be queried. `usual`: the intervals that
 * are known from before.
 */
export async function readLoad(
  source: MetricsSource,
  target: LoadTarget,
  signal: AbortSignal,
  usual: Intervals = {},
): Promise<LoadReading> {
  const { pods } = target;
  if (pods.length === 0) return {};
  const { cpu: covered, requests, intervals, warning } = await readCoverage(source, target, usual, signal);
  const { age } = covered;
  const hasNoRequests = requests.age === undefined;
  if (age === undefined) return { problem: noSeries(target), intervals, hasNoRequests };
  const read = await readSignals(source, target, { age, hasNoRequests }, signal);
  const known = podsIn(read.cpu.series, covered.live);
  const total = sumOf(read.cpu.series);
  if (total === undefined || known.length < ENOUGH * pods.length)
    return { age, problem: tooFew(known, target), intervals, hasNoRequests };
  const whole = known.filter((pod) => covered.whole.includes(pod));
  const problem = partial(whole, target, warning ?? read.cpu.warning);
  const isPartial = problem && (true as const);
  const memory = maxOf(read.memory?.series) || undefined;
  const podCpu = ninthOfTen(read.cpu.series.filter(isOf(pods)));
  const counted = requestsOf(read, whole, target, requests);
  const signals = { cpu: total, podCpu, memory, isPartial, ...counted };
  return defined({ age, problem, intervals, signals, hasNoRequests });
}

type Covered = { readonly [signal in Signal]: Coverage } & {
  readonly intervals: Intervals;
  readonly warning: string | undefined;
};

async function readCoverage(
  source: MetricsSource,
  target: LoadTarget,
  usual: Intervals,
  signal: AbortSignal,
): Promise<Covered> {
  const queries = chunksOf(target).map(coverageQueries);
  const read = async (of: Signal): Promise<{ readonly [part in 'age' | 'count']: MetricsAnswer }> => {
    const parts = (['age', 'count'] as const).map((part) => [
      ...new Set(queries.map((one) => one[of][part])),
    ]);
    const [age, count] = await Promise.all(parts.map((each) => ask(source, each, signal)));
    return { age: age ?? NOTHING, count: count ?? NOTHING };
  };
  const [cpu, requests] = await Promise.all([
    read('cpu'),
    read('requests').catch(() => ({ age: NOTHING, count: NOTHING })),
  ]);
  const series = ({ age, count }: typeof cpu) => ({ age: age.series, count: count.series });
  const ofCpu = coverageOf(series(cpu), target, { usual: usual.cpu });
  const ofRequests = coverageOf(series(requests), target, { usual: usual.requests, others: ofCpu.age });
  return {
    cpu: ofCpu,
    requests: ofRequests,
    intervals: { cpu: ofCpu.interval, requests: ofRequests.interval },
    warning: cpu.age.warning ?? cpu.count.warning,
  };
}

const NOTHING: MetricsAnswer = { series: [] };

type Answers = { readonly [name in keyof LoadQueries]?: MetricsAnswer | undefined } & {
  readonly cpu: MetricsAnswer;
};

/** Queries that fail are of signals that are missing; without that of CPU nothing is known. */
async function readSignals(
  source: MetricsSource,
  target: LoadTarget,
  { age, hasNoRequests }: { readonly age: number; readonly hasNoRequests: boolean },
  signal: AbortSignal,
): Promise<Answers> {
  const queries = chunksOf(target).map((chunk) => loadQueries(chunk, age));
  const read = (name: keyof LoadQueries): Promise<MetricsAnswer> =>
    // Of Knative, requests are counted by Service: each chunk has the same query.
    ask(source, [...new Set(queries.map((each) => each[name]))], signal);
  const names = hasNoRequests ? (['memory'] as const) : (['memory', 'rps', 'p99'] as const);
  const [cpu, ...others] = await Promise.allSettled([read('cpu'), ...names.map(read)]);
  if (cpu.status === 'rejected') throw cpu.reason;
  const [memory, rps, p99] = others.map((each) => (each.status === 'rejected' ? undefined : each.value));
  return { cpu: cpu.value, memory, rps, p99 };
}

/** Requests and CPU of the same pods: what a request costs is the same where some are not counted. Latency is that of all. */
function requestsOf(
  read: Answers,
  known: readonly string[],
  { pods, histograms }: LoadTarget,
  { live, whole }: Coverage,
): Partial<Signals> {
  const rps = wholeIn(read.rps);
  const counted = podsIn(rps, known).filter((pod) => whole.includes(pod));
  if (rps.length === 0 || counted.length < ENOUGH * pods.length) return {};
  const isAll = counted.length === pods.length && live.length === pods.length;
  const form = formOf(wholeIn(read.p99)) ?? (histograms === 'native' ? 'native' : 'classic');
  if (isAll) return { rps: sumOf(rps), p99: maxOf(wholeIn(read.p99)), form };
  const [requests, cpu] = [rps, read.cpu.series].map((series) => sumOf(series.filter(isOf(counted))));
  return { rps: requests, rpsCpu: cpu, form };
}

/** What the label of a latency says; none where there were no requests. */
function formOf(latencies: readonly Series[]): RequestForm | undefined {
  return REQUEST_FORMS.find((form) => latencies.some(({ labels }) => labels[FORM] === form));
}

/** Nothing where the query failed, or where there may be more. */
function wholeIn(answer: MetricsAnswer | undefined): readonly Series[] {
  return answer === undefined || answer.warning !== undefined ? [] : answer.series;
}

async function ask(
  source: MetricsSource,
  queries: readonly string[],
  signal: AbortSignal,
): Promise<MetricsAnswer> {
  const answers = await Promise.all(queries.map((query) => source.query(query, signal)));
  const warning = answers.find((answer) => answer.warning !== undefined)?.warning;
  return { series: answers.flatMap(({ series }) => series), ...(warning === undefined ? {} : { warning }) };
}

/** The pods that are gone are in the first. */
function chunksOf({ gone = [], ...target }: LoadTarget): readonly LoadTarget[] {
  const { pods } = target;
  return Array.from({ length: Math.ceil(pods.length / CHUNK) }, (_, index) => ({
    ...target,
    pods: pods.slice(index * CHUNK, (index + 1) * CHUNK),
    gone: index === 0 ? gone : [],
  }));
}

function isOf(pods: readonly string[]): (series: Series) => boolean {
  return ({ labels: { pod } }) => pod === undefined || pods.includes(pod);
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

function maxOf(series: readonly Series[] = []): number | undefined {
  const values = valuesOf(series);
  return values.length === 0 ? undefined : Math.max(...values);
}

/** Drops negative values. */
function valuesOf(series: readonly Series[]): readonly number[] {
  return series.map(({ value }) => value).filter((value) => value >= 0);
}

function noSeries({ namespace, pods }: LoadTarget): LoadProblem {
  const what = `none of ${CPU} for ${pods.length} pods in ${namespace}`;
  const next = 'check the labels namespace, pod and container of the source, and that kubelets are scraped';
  return { reason: 'NoSeries', message: `${what}: ${next}` };
}

function tooFew(known: readonly string[], { namespace, pods }: LoadTarget): LoadProblem {
  const message = `${CPU} of ${known.length} of ${pods.length} pods in ${namespace}: too few to tell the load`;
  return { reason: known.length === 0 ? 'NoSeries' : 'PartialData', message };
}

function partial(
  known: readonly string[],
  { namespace, pods }: LoadTarget,
  warning: string | undefined,
): LoadProblem | undefined {
  if (warning !== undefined)
    return { reason: 'PartialData', message: `the source has not read all that it has: ${warning}` };
  if (known.length === pods.length) return undefined;
  const message = `${CPU} of ${known.length} of ${pods.length} pods in ${namespace}: nothing is scaled down meanwhile`;
  return { reason: 'PartialData', message };
}

/** What kept a load from being read. */
export function failedRead(error: unknown): LoadProblem {
  const message = errorText(error);
  const isAway = error instanceof Error && 'code' in error && error.code === 'Unavailable';
  return { reason: isAway ? 'PrometheusUnreachable' : 'PrometheusQueryFailed', message };
}
