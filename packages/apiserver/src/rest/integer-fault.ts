/** Go's parsers of 64-bit integers: with a sign or without. */
type Parser = 'ParseInt' | 'ParseUint';
const RULES: Readonly<Record<Parser, { syntax: RegExp; lowest: bigint; highest: bigint }>> = {
  ParseInt: { syntax: /^[+-]?\d+$/, lowest: -(2n ** 63n), highest: 2n ** 63n - 1n },
  ParseUint: { syntax: /^\d+$/, lowest: 0n, highest: 2n ** 64n - 1n },
};

/** Digits of the longest. More need no reading, which takes the square of their number. */
const MAX_DIGITS = 20;

/** What Go's `strconv` has against a text; undefined where it is an integer. */
export function integerFault(parser: Parser, text: string): string | undefined {
  const { syntax, lowest, highest } = RULES[parser];
  const fault = (why: string): string => `strconv.${parser}: parsing ${JSON.stringify(text)}: ${why}`;
  if (!syntax.test(text)) return fault('invalid syntax');
  const digits = text.replace(/^[+-]?0*/, '');
  if (digits.length > MAX_DIGITS) return fault('value out of range');
  const value = BigInt(digits) * (text.startsWith('-') ? -1n : 1n);
  return value < lowest || value > highest ? fault('value out of range') : undefined;
}
