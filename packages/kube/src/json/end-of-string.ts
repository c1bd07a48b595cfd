/**
 * Where the JSON string ends whose opening quote is at `start`; -1 if it does not. Linear: of the backslashes before a quote, none
 * is looked at for another one.
 */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 92) backslashes++;
  return backslashes % 2 === 1;
}
