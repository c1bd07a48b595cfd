import { ClusterError } from '../../cluster-error.ts';
import type { Expression, Matcher } from './parse-promql.ts';

export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

/** All samples of a metric; matchers are applied to what it gives. */
export type SamplesOf = (metric: string) => readonly Sample[];

/** A number, or an instant vector. */
export type Value = number | readonly Sample[];

/** Functions of a range that change nothing here: annotations already give rates, as they are now. */
const AS_IT_IS: readonly string[] = ['rate', 'irate', 'avg_over_time', 'max_over_time', 'min_over_time'];

/** The value of an expression now. Throws `BadQuery` for what is not understood. */
export function evaluate(expression: Expression, samplesOf: SamplesOf): Value {
  switch (expression.type) {
    case 'number':
      return expression.value;
    case 'selector':
      return samplesOf(expression.metric).filter((sample) =>
        expression.matchers.every((one) => matches(sample, one)),
      );
    case 'call':
      return call(expression, samplesOf);
    case 'aggregate': {
      const { name, by, arg } = expression;
      return aggregated(name, by, vectorOf(evaluate(arg, samplesOf), name));
    }
    case 'binary': {
      const { operator, left, right } = expression;
      return combined(operator, evaluate(left, samplesOf), evaluate(right, samplesOf));
    }
  }
}

function matches({ labels }: Sample, { label, operator, value, pattern }: Matcher): boolean {
  const found = Object.hasOwn(labels, label) ? (labels[label] ?? '') : '';
  if (operator === '=') return found === value;
  if (operator === '!=') return found !== value;
  return pattern?.test(found) === (operator === '=~');
}

function call({ name, args }: Expression & { readonly type: 'call' }, samplesOf: SamplesOf): Value {
  const last = args.at(-1);
  if (last !== undefined && args.length === 1 && AS_IT_IS.includes(name))
    return vectorOf(evaluate(last, samplesOf), name);
  // Nothing here has buckets; series without the label `le` do not count.
  if (last !== undefined && args.length === 2 && name === 'histogram_quantile') {
    vectorOf(evaluate(last, samplesOf), name);
    return [];
  }
  throw new ClusterError('BadQuery', `invalid parameter "query": function ${name} is not supported here`);
}

function aggregated(name: string, by: readonly string[], vector: readonly Sample[]): readonly Sample[] {
  const groups = new Map<string, Sample[]>();
  for (const sample of vector) {
    const key = JSON.stringify(by.map((label) => sample.labels[label] ?? ''));
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  return [...groups.values()].map((samples) => ({
    labels: Object.fromEntries(by.flatMap((label) => labelOf(samples, label))),
    value: valueOf(
      name,
      samples.map(({ value }) => value),
    ),
  }));
}

function labelOf([first]: readonly Sample[], label: string): readonly (readonly [string, string])[] {
  const value = first?.labels[label];
  return value === undefined ? [] : [[label, value]];
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
