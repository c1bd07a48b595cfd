/**
 * A number as Go's `%v` prints it: integers plainly (they are int64 in an API server), fractions with an exponent
 * below 1e-4 and from 1e6 on.
 */
export function formatGoFloat(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
