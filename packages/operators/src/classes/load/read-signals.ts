import {
  coverageQueries,
  type LoadQueries,
  loadQueries,
  type QueryScope,
  type Signal,
} from './load-queries.ts';
import type { MetricsAnswer, MetricsSource } from './metrics-source.ts';

export type CoverageAnswers = {
  readonly [signal in Signal]: { readonly [part in 'age' | 'count']: MetricsAnswer };
};

/** Those of signals other than CPU are absent where their queries failed. */
export type Answers = { readonly [name in keyof LoadQueries]?: MetricsAnswer | undefined } & {
  readonly cpu: MetricsAnswer;
};

const NOTHING: MetricsAnswer = { series: [] };

/** Rejects when those of CPU cannot be queried. */
export async function readCoverage(
  source: MetricsSource,
  scopes: readonly QueryScope[],
  signal: AbortSignal,
): Promise<CoverageAnswers> {
  const queries = scopes.map((scope) => coverageQueries(scope));
  const read = async (of: Signal): Promise<CoverageAnswers[Signal]> => {
    const [age, count] = await Promise.all(
      (['age', 'count'] as const).map((part) =>
        ask(
          source,
          queries.map((one) => one[of][part]),
          signal,
        ),
      ),
    );
    return { age: age ?? NOTHING, count: count ?? NOTHING };
  };
  const [cpu, requests] = await Promise.all([
    read('cpu'),
    read('requests').catch(() => ({ age: NOTHING, count: NOTHING })),
  ]);
  return { cpu, requests };
}

/** Queries that fail are of signals that are missing; without that of CPU nothing is known. */
export async function readSignals(
  source: MetricsSource,
  scopes: readonly QueryScope[],
  { age, hasNoRequests }: { readonly age: number; readonly hasNoRequests: boolean },
  signal: AbortSignal,
): Promise<Answers> {
  const queries = scopes.map((scope) => loadQueries(scope, age));
  const read = (name: keyof LoadQueries): Promise<MetricsAnswer> =>
    ask(
      source,
      queries.map((each) => each[name]),
      signal,
    );
  const names = hasNoRequests ? (['memory'] as const) : (['memory', 'rps', 'p99'] as const);
  const [cpu, ...others] = await Promise.allSettled([read('cpu'), ...names.map(read)]);
  if (cpu.status === 'rejected') throw cpu.reason;
  const [memory, rps, p99] = others.map((each) => (each.status === 'rejected' ? undefined : each.value));
  return { cpu: cpu.value, memory, rps, p99 };
}

/** Of Knative, requests are counted by Service: several scopes of one workload have the same query. */
async function ask(
  source: MetricsSource,
  queries: readonly string[],
  signal: AbortSignal,
): Promise<MetricsAnswer> {
  const answers = await Promise.all([...new Set(queries)].map((query) => source.query(query, signal)));
  const warning = answers.find((answer) => answer.warning !== undefined)?.warning;
  return { series: answers.flatMap(({ series }) => series), ...(warning === undefined ? {} : { warning }) };
}
