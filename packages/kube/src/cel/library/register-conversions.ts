import type { Environment } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { KubeError } from '../../kube-error.ts';
import { failed } from '../failed.ts';
import { decodeUtf8 } from './decode-utf8.ts';
import { formatDouble } from './format-double.ts';
import { formatDuration } from './format-duration.ts';
import { formatTimestamp } from './format-timestamp.ts';
import { parseDuration } from '../../schedule/parse-duration.ts';
import { inYears, parseTimestamp } from './parse-timestamp.ts';

const TIMESTAMP = 'google.protobuf.Timestamp';
const DURATION = 'google.protobuf.Duration';

/** Conversions of the library that differ from cel-go's, with the names of ours. */
export const CONVERSIONS: readonly (readonly [string, string])[] = [
  ['int', 'toInt'],
  ['uint', 'toUint'],
  ['double', 'toDouble'],
  ['bool', 'toBool'],
  ['string', 'toText'],
  ['duration', 'toDuration'],
  ['timestamp', 'toTimestamp'],
];

const same = <T>(value: T): T => value;

export function registerConversions(environment: Environment): void {
  registerNumbers(environment);
  environment
    .registerFunction('toBool(bool): bool', same)
    .registerFunction('toBool(string): bool', toBool)
    .registerFunction('toText(string): string', same)
    .registerFunction('toText(bool): string', String)
    .registerFunction('toText(int): string', String)
    .registerFunction('toText(uint): string', String)
    .registerFunction('toText(double): string', formatDouble)
    .registerFunction('toText(bytes): string', decodeUtf8)
    .registerFunction(`toText(${DURATION}): string`, formatDuration)
    .registerFunction(`toText(${TIMESTAMP}): string`, formatTimestamp)
    .registerFunction(`toDuration(${DURATION}): ${DURATION}`, same)
    .registerFunction(`toDuration(string): ${DURATION}`, toDuration)
    .registerFunction(`toDuration(int): ${DURATION}`, () => {
      throw notA('int', DURATION);
    })
    .registerFunction(`toTimestamp(${TIMESTAMP}): ${TIMESTAMP}`, same)
    .registerFunction(`toTimestamp(string): ${TIMESTAMP}`, parseTimestamp)
    .registerFunction(`toTimestamp(int): ${TIMESTAMP}`, (seconds: bigint) =>
      inYears(new Date(Number(seconds) * 1000)),
    );
}

function registerNumbers(environment: Environment): void {
  environment
    .registerFunction('toInt(int): int', same)
    .registerFunction('toInt(uint): int', (value: UnsignedInt) => signed(value.valueOf()))
    .registerFunction('toInt(double): int', (value: number) => signed(whole(value, 'integer overflow')))
    .registerFunction('toInt(string): int', (text: string) => signed(digits(text, /^[+-]?\d+$/, 'int')))
    .registerFunction(`toInt(${TIMESTAMP}): int`, (time: Date) => BigInt(Math.floor(time.getTime() / 1000)))
    .registerFunction(
      `toInt(${DURATION}): int`,
      ({ seconds, nanos }: Duration) => seconds * 1_000_000_000n + BigInt(nanos),
    )
    .registerFunction('toUint(uint): uint', same)
    .registerFunction('toUint(int): uint', unsigned)
    .registerFunction('toUint(double): uint', (value: number) => {
      if (value < 0) throw failed(UNSIGNED_OVERFLOW);
      return unsigned(whole(value, UNSIGNED_OVERFLOW));
    })
    .registerFunction('toUint(string): uint', (text: string) => unsigned(digits(text, /^\d+$/, 'uint')))
    .registerFunction('toDouble(double): double', same)
    .registerFunction('toDouble(int): double', Number)
    .registerFunction('toDouble(uint): double', (value: UnsignedInt) => Number(value.valueOf()))
    .registerFunction('toDouble(string): double', toDouble);
}

const UNSIGNED_OVERFLOW = 'unsigned integer overflow';

function signed(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw failed('integer overflow');
  return value;
}

function unsigned(value: bigint): UnsignedInt {
  if (BigInt.asUintN(64, value) !== value) throw failed(UNSIGNED_OVERFLOW);
  return new UnsignedInt(value);
}

function whole(value: number, overflow: string): bigint {
  if (!Number.isFinite(value)) throw failed(overflow);
  return BigInt(Math.trunc(value));
}

/** At most as many digits as a number of 64 bits has. */
function digits(text: string, form: RegExp, type: string): bigint {
  if (text.length > 20 || !form.test(text)) throw notA('string', type);
  return BigInt(text.replace('+', ''));
}

function notA(from: string, to: string): KubeError {
  return failed(`type conversion error from '${from}' to '${to}'`);
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function toBool(text: string): boolean {
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw notA('string', 'bool');
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

function toDouble(text: string): number {
  const infinite = INFINITE.exec(text);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  if (text.length > 400 || !NUMBER.test(text)) throw notA('string', 'double');
  return Number(text);
}

function toDuration(text: string): Duration {
  try {
    const { seconds, nanoseconds } = parseDuration(text);
    return new Duration(seconds, nanoseconds);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    throw notA('string', DURATION);
  }
}
