import { KubeError } from '../kube-error.ts';

/** Where in which text a number begins; the reader is one. */
export type NumberCursor = { readonly text: string; at: number; unexpected(context: string): KubeError };

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
/** Of the longest: its digits and a sign. */
const INT64_LENGTH = 20;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;

/** Reads one number and moves the cursor behind it. */
export function readNumber(cursor: NumberCursor): number | bigint {
  NUMBER.lastIndex = cursor.at;
  const match = NUMBER.exec(cursor.text);
  if (!match) throw badStart(cursor);
  const [literal, fraction, exponent] = match;
  cursor.at += literal.length;
  throwIfBroken(cursor, fraction, exponent);
  return numberOf(literal, fraction === undefined && exponent === undefined);
}

/**
 * The value of a JSON number as a Kubernetes API server holds it: an integer that fits int64 is kept exactly,
 * everything else is a float64; a number that overflows it is rejected.
 */
function numberOf(literal: string, integer: boolean): number | bigint {
  const float = Number(literal);
  if (integer && Number.isSafeInteger(float)) return float === 0 ? 0 : float;
  // Longer ones are beyond int64, and BigInt would take the square of their length to find out.
  if (integer && literal.length <= INT64_LENGTH) {
    const exact = BigInt(literal);
    if (exact >= MIN_INT64 && exact <= MAX_INT64) return exact;
  }
  if (!Number.isFinite(float)) {
    throw new KubeError(
      'InvalidJson',
      `json: cannot unmarshal number ${literal} into Go value of type float64`,
    );
  }
  return float;
}

function badStart(cursor: NumberCursor): KubeError {
  if (cursor.text[cursor.at] !== '-') return cursor.unexpected('looking for beginning of value');
  cursor.at++;
  return cursor.unexpected('in numeric literal');
}

/** A number followed by the beginning of a fraction or exponent that never comes. */
function throwIfBroken(cursor: NumberCursor, fraction?: string, exponent?: string): void {
  const next = cursor.text[cursor.at];
  if (next === '.' && fraction === undefined && exponent === undefined) {
    cursor.at++;
    throw cursor.unexpected('after decimal point in numeric literal');
  }
  if ((next === 'e' || next === 'E') && exponent === undefined) {
    cursor.at++;
    if (cursor.text[cursor.at] === '+' || cursor.text[cursor.at] === '-') cursor.at++;
    throw cursor.unexpected('in exponent of numeric literal');
  }
}
