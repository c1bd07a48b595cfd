import { KubeError } from '../kube-error.ts';
import { divideAwayFromZero, type Quantity, type QuantityFormat } from './quantity.ts';

const WRONG_FORMAT =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = 'unable to parse numeric part of quantity';
const WRONG_SUFFIX = "unable to parse quantity's suffix";

const QUANTITY = /^([+-]?)(\d*)(\.\d*)?([eEinumkKMGTP]*[-+]?\d*)$/;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Beyond these the arithmetic would cost what no quantity is worth. */
const MAX_LENGTH = 1024;
const MAX_EXPONENT = 1000;
const MAX_INT64 = 2n ** 63n - 1n;
/** Digits that Go's int64 path takes, and the finest scale of all quantities. */
const MAX_DIGITS = 18;
const NANO = 9;

/** Parses `500m`, `1.5Gi`, `12e6`. Throws {@link KubeError} `InvalidQuantity`, worded as in Go. */
export function parseQuantity(text: string): Quantity {
  const match = text === '' || text.length > MAX_LENGTH ? null : QUANTITY.exec(text);
  if (!match) throw refused(WRONG_FORMAT);
  // Go's scanner is done once it has seen nothing but a sign and zeros.
  if (/^[+-]?0*$/.test(text)) return { unscaled: 0n, scale: 0, format: 'decimal' };
  return readParts(text, match);
}

function readParts(text: string, match: RegExpExecArray): Quantity {
  const [, sign, leading = '', point = '', suffix = ''] = match;
  const unit = readSuffix(suffix);
  if (!unit) throw refused(WRONG_SUFFIX);
  const digits: Digits = {
    whole: leading.replace(/^0+/, '') || '0',
    fraction: point.slice(1),
    negative: sign === '-',
  };
  const short = readShort(text, digits, unit);
  if (short) return short;
  if (leading === '' && digits.fraction === '') throw refused(WRONG_NUMBER);
  return readLong(digits, unit);
}

function refused(message: string): KubeError {
  return new KubeError('InvalidQuantity', message);
}

type Digits = { readonly whole: string; readonly fraction: string; readonly negative: boolean };
type Unit = { readonly format: QuantityFormat; readonly exponent: number };

function readSuffix(suffix: string): Unit | undefined {
  const decimal = DECIMAL.indexOf(suffix);
  if (decimal >= 0) return { format: 'decimal', exponent: decimal * 3 - 9 };
  const binary = BINARY.indexOf(suffix);
  if (binary >= 0) return { format: 'binary', exponent: binary * 10 + 10 };
  if (!/^[eE][+-]?\d+$/.test(suffix)) return undefined;
  const exponent = Number(suffix.slice(1));
  return Math.abs(exponent) <= MAX_EXPONENT ? { format: 'exponent', exponent } : undefined;
}

/** What Go computes in int64. Only here it may keep the text as it came. */
function readShort(text: string, { whole, fraction, negative }: Digits, unit: Unit): Quantity | undefined {
  const precision =
    unit.format === 'binary'
      ? binaryPrecision(whole, fraction, unit.exponent)
      : MAX_DIGITS - whole.length - fraction.length;
  const scale = fraction.length - (unit.format === 'binary' ? 0 : unit.exponent);
  if (precision < 0 || scale > NANO) return undefined;
  const value = BigInt(whole + fraction);
  const amount = unit.format === 'binary' ? value << BigInt(unit.exponent) : value;
  if (amount > MAX_INT64) return undefined;
  const kept = unit.format === 'binary' ? value % 8n !== 0n : isCanonicalDecimal(whole + fraction, scale);
  return { unscaled: negative ? -amount : amount, scale, format: unit.format, ...(kept && { text }) };
}

function binaryPrecision(whole: string, fraction: string, exponent: number): number {
  return fraction === '' ? 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 : -1;
}

function isCanonicalDecimal(digits: string, scale: number): boolean {
  return scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

/** What Go computes with arbitrary precision: rounded up to nanos, a binary amount capped at 2^63-1. */
function readLong({ whole, fraction, negative }: Digits, { format, exponent }: Unit): Quantity {
  const digits = BigInt(whole + fraction);
  const exact =
    format === 'binary'
      ? { unscaled: digits << BigInt(exponent), scale: fraction.length }
      : { unscaled: digits, scale: fraction.length - exponent };
  const rounded = roundToNano(exact);
  const { unscaled, scale, ...capped } =
    format === 'binary' ? capBinary(rounded) : { ...rounded, format: format };
  return { unscaled: negative ? -unscaled : unscaled, scale, ...capped };
}

type Amount = { readonly unscaled: bigint; readonly scale: number };

function roundToNano({ unscaled, scale }: Amount): Amount {
  if (scale <= NANO || unscaled === 0n) return { unscaled, scale };
  return { unscaled: divideAwayFromZero(unscaled, 10n ** BigInt(scale - NANO)), scale: NANO };
}

function capBinary({ unscaled, scale }: Amount): Quantity {
  const one = 10n ** BigInt(scale);
  if (unscaled > MAX_INT64 * one) return { unscaled: MAX_INT64, scale: 0, format: 'binary' };
  // A fraction of one has no binary suffix.
  return { unscaled, scale, format: unscaled > 0n && unscaled < one ? 'decimal' : 'binary' };
}
