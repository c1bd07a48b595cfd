import { ClusterError } from '../../cluster-error.ts';
import type { Expression, Matcher } from './parse-promql.ts';

export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

/** All samples of a metric; matchers are applied to what it gives. */
export type SamplesOf = (metric: string) => readonly Sample[];

/** A number, or an instant vector. */
export type Value = number | readonly Sample[];

/** Functions of a range that change nothing here: annotations already give rates, as they are now. */
const AS_IT_IS: readonly string[] = ['rate', 'irate', 'avg_over_time', 'max_over_time', 'min_over_time'];

/** What there is to evaluate: samples, all of `now`, in seconds since 1970. */
export type Measured = { readonly samplesOf: SamplesOf; readonly now: number };

/** The value of an expression now. Throws `BadQuery` for what is not understood. */
export function evaluate(expression: Expression, measured: Measured): Value {
  switch (expression.type) {
    case 'number':
      return expression.value;
    case 'text':
      throw new ClusterError('BadQuery', 'invalid parameter "query": a text is no value here');
    case 'selector':
      return measured
        .samplesOf(expression.metric)
        .filter((sample) => expression.matchers.every((one) => matches(sample, one)));
    case 'call':
      return call(expression, measured);
    case 'aggregate': {
      return aggregated(expression, vectorOf(evaluate(expression.arg, measured), expression.name));
    }
    case 'binary': {
      const { operator, left, right } = expression;
      return combined(operator, evaluate(left, measured), evaluate(right, measured));
    }
  }
}

function matches({ labels }: Sample, { label, operator, value, pattern }: Matcher): boolean {
  const found = Object.hasOwn(labels, label) ? (labels[label] ?? '') : '';
  if (operator === '=') return found === value;
  if (operator === '!=') return found !== value;
  return pattern?.test(found) === (operator === '=~');
}

function call({ name, args }: Expression & { readonly type: 'call' }, measured: Measured): Value {
  const vector = (of: Expression): readonly Sample[] => vectorOf(evaluate(of, measured), name);
  const [first, second] = args;
  if (name === 'time' && first === undefined) return measured.now;
  const found = first && ofArgs(name, { first, second, count: args.length }, vector, measured);
  if (found !== undefined) return found;
  throw new ClusterError('BadQuery', `invalid parameter "query": function ${name} is not supported here`);
}

type Args = { readonly first: Expression; readonly second: Expression | undefined; readonly count: number };

/** Undefined: there is no such function. */
function ofArgs(
  name: string,
  { first, second, count }: Args,
  vector: (of: Expression) => readonly Sample[],
  measured: Measured,
): readonly Sample[] | undefined {
  if (second === undefined) return ofVector(name, first, vector, measured);
  if (name === 'label_replace' && count === 5) return vector(first);
  return name === 'histogram_quantile' && count === 2 ? noBuckets(vector(second)) : undefined;
}

/** Nothing here has buckets, and so labels that are made for them stay away; series without the label `le` do not count. */
function noBuckets(_series: readonly Sample[]): readonly Sample[] {
  return [];
}

/** A function of one vector; undefined: there is none of that name. */
function ofVector(
  name: string,
  arg: Expression,
  vector: (of: Expression) => readonly Sample[],
  { now }: Measured,
): readonly Sample[] | undefined {
  const each = (change: (value: number) => number): readonly Sample[] =>
    vector(arg).map((one) => ({ ...one, value: change(one.value) }));
  if (AS_IT_IS.includes(name)) return vector(arg);
  if (name === 'timestamp') return each(() => now);
  const { range = 0 } = arg.type === 'selector' ? arg : {};
  if (name === 'increase') return each((value) => value * range);
  // As if there was one sample each second.
  return name === 'count_over_time' ? each(() => range) : undefined;
}

function aggregated(
  { name, labels, isWithout }: Expression & { readonly type: 'aggregate' },
  vector: readonly Sample[],
): readonly Sample[] {
  const groups = new Map<string, { readonly labels: Sample['labels']; readonly values: number[] }>();
  for (const sample of vector) {
    const kept = Object.entries(sample.labels)
      .filter(([label]) => label !== '__name__' && labels.includes(label) !== isWithout)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify(kept);
    const group = groups.get(key) ?? { labels: Object.fromEntries(kept), values: [] };
    group.values.push(sample.value);
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => ({ labels: group.labels, value: valueOf(name, group.values) }));
}

function valueOf(name: string, values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  switch (name) {
    case 'max':
      return Math.max(...values);
    case 'min':
      return Math.min(...values);
    case 'count':
      return values.length;
    case 'avg':
      return sum / values.length;
    default:
      return sum;
  }
}

function combined(operator: string, left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return calculated(operator, left, right);
  if (typeof left === 'number')
    return vectorOf(right, operator).map((one) => ({ ...one, value: calculated(operator, left, one.value) }));
  if (typeof right === 'number')
    return left.map((one) => ({ ...one, value: calculated(operator, one.value, right) }));
  throw new ClusterError(
    'BadQuery',
    'invalid parameter "query": operators between vectors are not supported here',
  );
}

function calculated(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    default:
      return left / right;
  }
}

function vectorOf(value: Value, name: string): readonly Sample[] {
  if (typeof value !== 'number') return value;
  throw new ClusterError('BadQuery', `invalid parameter "query": ${name} takes a vector, not a number`);
}
