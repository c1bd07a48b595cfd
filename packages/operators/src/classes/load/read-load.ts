import { defined, errorText } from '@kubewright/kube';
import { type LoadProblem, REQUEST_FORMS, type RequestForm, type Signals } from '../class-load.ts';
import { type Coverage, coverageOf, podsIn } from './coverage.ts';
import { type Answers, type CoverageAnswers, readCoverage, readSignals } from './read-signals.ts';
import { type Batch, batchesOf, partOf } from './batches-of.ts';
import { CPU, FORM, type LoadTarget, type Signal } from './load-queries.ts';
import type { MetricsAnswer, MetricsSource, Series } from './metrics-source.ts';

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

/** Pods whose load to read, and the intervals that are known of them from before. */
export type Wanted = { readonly target: LoadTarget; readonly usual?: Intervals | undefined };

/** A load, or what kept it from being read. */
export type Outcome = LoadReading | { readonly error: unknown };

/** Reads the load of some pods, as it was when the newest sample was taken. Rejects when it cannot be queried. */
export async function readLoad(
  source: MetricsSource,
  target: LoadTarget,
  signal: AbortSignal,
  usual: Intervals = {},
): Promise<LoadReading> {
  const [read = {}] = await readLoads(source, [{ target, usual }], signal);
  if ('error' in read) throw read.error;
  return read;
}

/**
 * Reads the load of many workloads, in their order: of all that are in one namespace with one query for each signal. Once a query
 * fails, no more are sent: each could take its whole timeout.
 */
export async function readLoads(
  source: MetricsSource,
  wanted: readonly Wanted[],
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const found = new Map<LoadTarget, Outcome>();
  const usual = new Map(wanted.map((each) => [each.target, each.usual ?? {}]));
  const targets = wanted.map(({ target }) => target).filter(({ pods }) => pods.length > 0);
  let failure: { readonly error: unknown } | undefined;
  for (const batch of batchesOf(targets)) {
    const read =
      failure ?? (await readBatch(source, batch, usual, signal).catch((error: unknown) => ({ error })));
    if ('error' in read) failure = read;
    for (const target of batch.targets) found.set(target, 'error' in read ? read : (read.get(target) ?? {}));
  }
  return wanted.map(({ target }) => found.get(target) ?? {});
}

/** What is known of one workload before its load is read. */
type Covered = { readonly [signal in Signal]: Coverage } & {
  readonly target: LoadTarget;
  readonly intervals: Intervals;
  readonly warning: string | undefined;
};

async function readBatch(
  source: MetricsSource,
  batch: Batch,
  usual: ReadonlyMap<LoadTarget, Intervals>,
  signal: AbortSignal,
): Promise<ReadonlyMap<LoadTarget, LoadReading>> {
  const answers = await readCoverage(source, batch.scopes, signal);
  const covered = batch.targets.map((target) => coveredOf(answers, target, usual.get(target) ?? {}));
  const found = new Map<LoadTarget, LoadReading>();
  for (const { target, intervals, requests } of covered)
    found.set(target, { problem: noSeries(target), intervals, hasNoRequests: requests.age === undefined });
  for (const { age, all } of ofOneAge(covered)) {
    const [share = batch] = all.length === covered.length ? [batch] : batchesOf(all.map((one) => one.target));
    const hasNoRequests = all.every(({ requests }) => requests.age === undefined);
    const read = await readSignals(source, share.scopes, { age, hasNoRequests }, signal);
    for (const one of all) found.set(one.target, loadIn(read, one, age));
  }
  return found;
}

function coveredOf({ cpu, requests }: CoverageAnswers, target: LoadTarget, usual: Intervals): Covered {
  const series = ({ age, count }: typeof cpu) => ({
    age: partOf(age, target).series,
    count: partOf(count, target).series,
  });
  const ofCpu = coverageOf(series(cpu), target, { usual: usual.cpu });
  const ofRequests = coverageOf(series(requests), target, { usual: usual.requests, others: ofCpu.age });
  return {
    target,
    cpu: ofCpu,
    requests: ofRequests,
    intervals: { cpu: ofCpu.interval, requests: ofRequests.interval },
    warning: cpu.age.warning ?? cpu.count.warning,
  };
}

type OfOneAge = { readonly age: number; readonly all: readonly Covered[] };

/** Those whose newest samples are no more than one interval apart are read as of the oldest of these. */
function ofOneAge(covered: readonly Covered[]): readonly OfOneAge[] {
  const known = covered.flatMap((one) => (one.cpu.age === undefined ? [] : [{ age: one.cpu.age, one }]));
  const groups: (typeof known)[] = [];
  for (const next of known.toSorted((a, b) => a.age - b.age)) {
    const [first] = groups.at(-1) ?? [];
    const isNear = first !== undefined && next.age - first.age <= (first.one.cpu.interval ?? 0);
    if (isNear) groups.at(-1)?.push(next);
    else groups.push([next]);
  }
  return groups.map((group) => ({ age: group.at(-1)?.age ?? 0, all: group.map(({ one }) => one) }));
}

function loadIn(
  answers: Answers,
  { target, cpu: covered, requests, intervals, warning }: Covered,
  age: number,
): LoadReading {
  const { pods } = target;
  const of = (answer: MetricsAnswer | undefined) => answer && partOf(answer, target);
  const read = {
    cpu: partOf(answers.cpu, target),
    memory: of(answers.memory),
    rps: of(answers.rps),
    p99: of(answers.p99),
  };
  const hasNoRequests = requests.age === undefined;
  const known = podsIn(read.cpu.series, covered.live);
  const total = sumOf(read.cpu.series);
  if (total === undefined || known.length < ENOUGH * pods.length)
    return { age, problem: tooFew(known, target), intervals, hasNoRequests };
  const whole = known.filter((pod) => covered.whole.includes(pod));
  const problem = partial(whole, target, warning ?? read.cpu.warning);
  const isPartial = problem && (true as const);
  const memory = maxOf(read.memory?.series) || undefined;
  const podCpu = ninthOfTen(read.cpu.series.filter(isOf(pods)));
  const signals = { cpu: total, podCpu, memory, isPartial, ...requestsOf(read, whole, target, requests) };
  return defined({ age, problem, intervals, signals, hasNoRequests });
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
