import type { Environment } from '@marcbachmann/cel-js';
import { type Json, setOwn } from '../json/json.ts';
import { compareQuantity } from '../object/compare-quantity.ts';
import { parseQuantity } from '../object/parse-quantity.ts';
import { KubeError } from '../kube-error.ts';
import { weightOf } from './cel-cost.ts';
import { celEnvironment } from './cel-environment.ts';
import { CelMeter } from './cel-meter.ts';
import { toDynamic } from './cel-types.ts';
import { describeError } from './describe-error.ts';
import { compileText, type Failure } from './expression.ts';

/** The variables of a dynamic expression: objects without a schema. */
export type DynamicVariables = Readonly<Record<string, Json>>;

/** A compiled expression over objects without a schema; throws a KubeError when the evaluation fails. */
export type CompiledDynamic = {
  readonly evaluate: (variables: DynamicVariables, allowance?: CelAllowance) => Json;
};

/** What expressions on behalf of one object may still cost, all together, and the values that they read. */
export type CelAllowance = { left: number; readonly converted: Map<Json, unknown> };

/** About 100 ms. */
export function celAllowance(): CelAllowance {
  return { left: 400_000, converted: new Map() };
}

/** What one evaluation may cost: about 50 ms. */
const BUDGET = 200_000;

const environments = new Map<string, Environment>();

/** Of one character of an expression, to compile it. */
const COMPILING = 10;

/**
 * Compiles an expression over these variables, each of type dyn. Functions: those of CRD rules, and
 * `compareResourceQuantities(string, string)`, which is -1, 0 or 1. Whoever compiles or evaluates many for one object
 * passes the same allowance to all.
 */
export function compileDynamic(
  text: string,
  variables: readonly string[],
  allowance: CelAllowance = celAllowance(),
): CompiledDynamic | Failure {
  allowance.left -= COMPILING * text.length;
  if (allowance.left < 0)
    return { failure: 'compilation failed: the expressions of this object are too long in all' };
  const meter = new CelMeter();
  const compiled = compileText(environmentWith(variables), text, meter);
  if ('failure' in compiled) return compiled;
  return {
    evaluate(values, shared = celAllowance()) {
      meter.start(Math.min(BUDGET, shared.left));
      const known = variables.map((name) => [name, converted(values[name] ?? null, shared)] as const);
      try {
        const result = compiled.run(Object.fromEntries(known));
        // What the result shares is copied as often as it appears. Throws, too, if the error of an earlier stop was swallowed.
        meter.spend(weightOf(result));
        return fromCel(result);
      } catch (error) {
        const message = `expression '${text}' resulted in error: ${describeError(error)}`;
        throw new KubeError('InvalidExpression', message, { cause: error });
      } finally {
        shared.left -= meter.cost;
      }
    },
  };
}

function converted(value: Json, allowance: CelAllowance): unknown {
  if (typeof value !== 'object') return toDynamic(value);
  if (!allowance.converted.has(value)) allowance.converted.set(value, toDynamic(value));
  return allowance.converted.get(value);
}

function environmentWith(variables: readonly string[]): Environment {
  const key = variables.join();
  const known = environments.get(key);
  if (known !== undefined) return known;
  const environment = celEnvironment();
  environment.registerFunction('compareResourceQuantities(string, string): int', (a: string, b: string) =>
    BigInt(compareQuantity(parseQuantity(a), parseQuantity(b))),
  );
  for (const name of variables) environment.registerVariable(name, 'dyn');
  environments.set(key, environment);
  return environment;
}

/** A result as JSON. Integers that a number holds exactly are numbers, as JSON is read elsewhere. */
function fromCel(value: unknown): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(fromCel);
  if (value instanceof Map) return fromMap(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  throw new KubeError('InvalidExpression', 'the result is not JSON');
}

function fromMap(map: ReadonlyMap<unknown, unknown>): Json {
  const made: Record<string, Json> = {};
  for (const [key, member] of map) setOwn(made, String(key), fromCel(member));
  return made;
}
