import type { Json } from '../json/json.ts';
import { KubeError } from '../kube-error.ts';
import type { GoNumber, Resolved } from './resolve-plain.ts';

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
/** Go writes a float below this without an exponent: read again, it is an integer. */
const WRITTEN_WITH_EXPONENT = 1e21;

/**
 * The value that is left when the Go library has written it as JSON, and the server has read that: a whole float is an integer.
 * NaN and the infinities stay what they are: JSON does not have them.
 */
export function toJson(value: Resolved): Json {
  if (typeof value !== 'object' || value === null) return value;
  return value.kind === 'uint' ? Number(value.value) : fromFloat(value.value);
}

function fromFloat(value: number): number | bigint {
  if (value === 0) return 0;
  if (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= WRITTEN_WITH_EXPONENT)
    return value;
  const written = BigInt(String(value));
  return written >= MIN_INT64 && written <= MAX_INT64 ? written : value;
}

/** The first number in a value that JSON does not have, as Go writes it. */
export function unsupportedIn(value: Json): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : goFloat(value);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const member of Object.values(value)) {
    const found = unsupportedIn(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

function goFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/** The key of an object. Throws `InvalidYaml` for null and for integers beyond int64. */
export function toKey(value: Resolved): string {
  if (value === null) throw new KubeError('InvalidYaml', 'unsupported map key of type null');
  if (typeof value !== 'object') return String(value);
  if (value.kind === 'uint') throw new KubeError('InvalidYaml', 'unsupported map key of type uint64');
  return floatKey(value);
}

/** How strict decoding names a key that is already set. */
export function quoteKey(value: Resolved): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null) return '<nil>';
  return typeof value === 'object' ? String(value.value) : String(value);
}

/** As Go writes a number of 32 bits in its shortest form. */
function floatKey({ value }: GoNumber): string {
  const single = Math.fround(Number(value));
  if (Number.isNaN(single)) return '.nan';
  if (!Number.isFinite(single)) return single > 0 ? '.inf' : '-.inf';
  return single === 0 ? (Object.is(single, -0) ? '-0' : '0') : shortForm(single);
}

function shortForm(single: number): string {
  const [mantissa = '', exponent = ''] = shortest(single).split('e');
  const power = Number(exponent);
  if (power >= -4 && power < LARGE) return plainForm(single, mantissa, power);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** From this power of ten on, Go writes an exponent. */
const LARGE = 6;

function shortest(single: number): string {
  for (let digits = 0; digits < 9; digits++) {
    const text = single.toExponential(digits);
    if (Math.fround(Number(text)) === single) return text;
  }
  return single.toExponential();
}

function plainForm(single: number, mantissa: string, power: number): string {
  const digits = mantissa.replaceAll(/[-.]/g, '');
  const sign = single < 0 ? '-' : '';
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, '0');
  const fraction = digits.slice(power + 1);
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
