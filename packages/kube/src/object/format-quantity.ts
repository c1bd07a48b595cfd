import { type Quantity, quantityAsInteger } from './quantity.ts';

const DECIMAL: Readonly<Record<number, string>> = {
  [-9]: 'n',
  [-6]: 'u',
  [-3]: 'm',
  0: '',
  3: 'k',
  6: 'M',
  9: 'G',
  12: 'T',
  15: 'P',
  18: 'E',
};
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * The canonical form: no fraction, the largest suffix of the family that leaves an integer. An amount beyond the
 * last suffix loses its suffix, as it does in Go.
 */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text) return quantity.text;
  if (quantity.unscaled === 0n) return '0';
  const integer = quantity.format === 'binary' ? quantityAsInteger(quantity) : undefined;
  if (integer !== undefined && (integer <= -1024n || integer >= 1024n)) return formatBinary(integer);
  return formatDecimal(quantity);
}

function formatBinary(integer: bigint): string {
  const [amount, times] = removeFactors(integer, 1024n);
  return `${amount}${BINARY[times] ?? ''}`;
}

function formatDecimal({ unscaled, scale, format }: Quantity): string {
  let [amount, times] = removeFactors(unscaled, 10n);
  let exponent = times - scale;
  for (; exponent % 3 !== 0; exponent--) amount *= 10n;
  const suffix = format === 'exponent' ? (exponent === 0 ? '' : `e${exponent}`) : (DECIMAL[exponent] ?? '');
  return `${amount}${suffix}`;
}

function removeFactors(value: bigint, factor: bigint): [result: bigint, times: number] {
  let result = value;
  let times = 0;
  for (; result % factor === 0n; times++) result /= factor;
  return [result, times];
}
