import type { Environment } from '@marcbachmann/cel-js';
import type { Optional } from '@marcbachmann/cel-js';
import { celEquals } from '../cel-equals.ts';
import { failed } from '../failed.ts';

/** Types whose values may be compared with null, and are never equal to it. The library adds the other direction. */
const NEVER_NULL = [
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
  'kubernetes.Quantity',
  'kubernetes.URL',
  'kubernetes.Semver',
  'net.IP',
  'net.CIDR',
];

/** Operators of cel-go that the library has no overloads for. */
export function registerOperators(environment: Environment): void {
  for (const type of NEVER_NULL) environment.registerOperator(`${type} == null`, () => false);
  environment
    .registerOperator('optional<A> == optional<A>', (a: Optional, b: Optional) =>
      a.hasValue() && b.hasValue() ? celEquals(a.value(), b.value()) : a.hasValue() === b.hasValue(),
    )
    .registerOperator('bytes < bytes', (a: Uint8Array, b: Uint8Array) => compareBytes(a, b) < 0)
    .registerOperator('bytes <= bytes', (a: Uint8Array, b: Uint8Array) => compareBytes(a, b) <= 0)
    .registerOperator('bytes > bytes', (a: Uint8Array, b: Uint8Array) => compareBytes(a, b) > 0)
    .registerOperator('bytes >= bytes', (a: Uint8Array, b: Uint8Array) => compareBytes(a, b) >= 0);
  registerNulls(environment);
}

/** Null may stand for a time or a duration, so that these compile, and fail when they are run. */
function registerNulls(environment: Environment): void {
  const times = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];
  for (const operator of ['+', '-', '<', '<=', '>', '>=']) {
    const ofNull = (): never => {
      throw failed(`no such overload: _${operator}_`);
    };
    const withNull = (): never => {
      throw failed('no such overload');
    };
    const gives = operator === '+' || operator === '-' ? ': dyn' : '';
    for (const other of ['null', ...times])
      environment.registerOperator(`null ${operator} ${other}${gives}`, ofNull);
    for (const other of times) environment.registerOperator(`${other} ${operator} null${gives}`, withNull);
  }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (const [index, byte] of a.entries()) {
    const there = b[index];
    if (there === undefined) return 1;
    if (byte !== there) return byte - there;
  }
  return a.length - b.length;
}
