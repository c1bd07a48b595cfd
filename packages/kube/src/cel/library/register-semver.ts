import type { Environment } from '@marcbachmann/cel-js';
import { failed } from '../failed.ts';
import { succeeds } from './succeeds.ts';

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** Its numbers fit in 64 bits. */
const MAX_LENGTH = 1000;

/** A version after semver.org. A class, because the library finds the type of a value by its constructor. */
class Semver {
  static readonly celName = 'kubernetes.Semver';
  readonly numbers: readonly bigint[];
  readonly pre: readonly string[];

  constructor(text: string) {
    const match = text.length > MAX_LENGTH ? null : SEMVER.exec(text);
    if (!match || match[4]?.split('.').some((part) => /^0\d+$/.test(part))) {
      throw failed(`semver parse error during conversion from string: ${text}`);
    }
    this.numbers = [match[1], match[2], match[3]].map((part) => BigInt(part ?? '0'));
    this.pre = match[4]?.split('.') ?? [];
  }

  compareTo(other: Semver): bigint {
    for (const [index, number] of this.numbers.entries()) {
      const there = other.numbers[index] ?? 0n;
      if (number !== there) return number < there ? -1n : 1n;
    }
    return comparePre(this.pre, other.pre);
  }
}

/** Kubernetes' `semver()`, `isSemver()` and comparisons. With the second argument true, it normalises a version such as `v1.2`. */
export function registerSemver(environment: Environment): void {
  const read = (text: string, tolerant = false): Semver => new Semver(tolerant ? normalize(text) : text);
  environment
    .registerType('kubernetes.Semver', Semver)
    .registerFunction('semver(string): kubernetes.Semver', (text: string) => read(text))
    .registerFunction('semver(string, bool): kubernetes.Semver', read)
    .registerFunction('isSemver(string): bool', (text: string) => succeeds(() => read(text)))
    .registerFunction('isSemver(string, bool): bool', (text: string, tolerant: boolean) =>
      succeeds(() => read(text, tolerant)),
    )
    .registerFunction('kubernetes.Semver.major(): int', ({ numbers }: Semver) => numbers[0])
    .registerFunction('kubernetes.Semver.minor(): int', ({ numbers }: Semver) => numbers[1])
    .registerFunction('kubernetes.Semver.patch(): int', ({ numbers }: Semver) => numbers[2])
    .registerFunction('kubernetes.Semver.compareTo(kubernetes.Semver): int', (a: Semver, b: Semver) =>
      a.compareTo(b),
    )
    .registerFunction(
      'kubernetes.Semver.isLessThan(kubernetes.Semver): bool',
      (a: Semver, b: Semver) => a.compareTo(b) < 0n,
    )
    .registerFunction(
      'kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool',
      (a: Semver, b: Semver) => a.compareTo(b) > 0n,
    )
    .registerOperator(
      'kubernetes.Semver == kubernetes.Semver',
      (a: Semver, b: Semver) => a.compareTo(b) === 0n,
    );
}

/** Drops a leading `v` and leading zeros, and fills in a minor and patch number. */
function normalize(text: string): string {
  const [, numbers = '', rest = ''] = /^v?([\d.]*)(.*)$/s.exec(text) ?? [];
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3) parts.push('0');
  return parts.join('.') + rest;
}

/** No pre-release is later than any; numbers come before words. */
function comparePre(a: readonly string[], b: readonly string[]): bigint {
  if (a.length === 0 || b.length === 0) return BigInt(Math.sign(b.length - a.length));
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const order = comparePart(a[i], b[i]);
    if (order !== 0n) return order;
  }
  return 0n;
}

function comparePart(a: string | undefined, b: string | undefined): bigint {
  if (a === b) return 0n;
  if (a === undefined || b === undefined) return a === undefined ? -1n : 1n;
  const [x, y] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (x !== y) return x ? -1n : 1n;
  return (x ? BigInt(a) < BigInt(b) : a < b) ? -1n : 1n;
}
