import { type Environment, Optional } from '@marcbachmann/cel-js';
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { newType } from '../type-name.ts';

/** Functions on optionals that the library lacks. */
export function registerOptionals(environment: Environment): void {
  environment
    .registerFunction('OptionalNamespace.ofNonZeroValue(A): optional<A>', (_: unknown, value: unknown) =>
      isZero(value) ? Optional.none() : Optional.of(value),
    )
    .registerFunction('OptionalNamespace.unwrap(list<optional<A>>): list<A>', (_: unknown, list: Values) =>
      unwrap(list),
    )
    .registerFunction('list<optional<A>>.unwrapOpt(): list<A>', unwrap)
    .registerFunction('type(optional<A>): type', () => newType('optional'));
}

type Values = Iterable<Optional>;

function unwrap(list: Values): unknown[] {
  return [...list].flatMap((optional) => (optional.hasValue() ? [optional.value()] : []));
}

function isZero(value: unknown): boolean {
  if (value instanceof UnsignedInt) return value.valueOf() === 0n;
  if (typeof value !== 'object' || value === null) return !value;
  if (value instanceof Map || value instanceof Set) return value.size === 0;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  return Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;
}
