import { endOfString } from './end-of-string.ts';

/** A number of 16 digits or more, or an exponent of three digits or more. */
const INEXACT = /(?:^|[:,[\s])-?(?:\d{16}|[\d.]+[eE]\+?\d{3})/;
/** `1e100` is the shortest such number. */
const SHORTEST = 5;

/**
 * Whether `JSON.parse` might round or overflow a number of this text, JSON or not. Reads only what is between strings,
 * which are found by `indexOf`: most of a large text is strings, and an expression would try each of their characters.
 */
export function needsExactReading(text: string): boolean {
  let from = 0;
  for (;;) {
    const quote = text.indexOf('"', from);
    const end = quote === -1 ? text.length : quote;
    if (end - from >= SHORTEST && INEXACT.test(text.slice(from, end))) return true;
    if (quote === -1) return false;
    const last = endOfString(text, quote);
    if (last === -1) return false;
    from = last + 1;
  }
}
