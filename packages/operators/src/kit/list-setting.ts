const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['[', ']'],
  ['"', '"'],
  ["'", "'"],
]);

/**
 * The values of a comma-separated annotation or environment variable. Commas inside brackets and quotes do not
 * separate: a path pattern may have one, as in `['a,b']`.
 */
export function listSetting(text = ''): readonly string[] {
  const parts = [''];
  const open: string[] = [];
  for (const character of text) {
    const closer = open.at(-1);
    const isQuoted = closer === '"' || closer === "'";
    const opened = isQuoted ? undefined : CLOSERS.get(character);
    if (character === closer) open.pop();
    else if (opened !== undefined) open.push(opened);
    if (character === ',' && open.length === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** `true` is true, any other value is false; `fallback` where it is not set. */
export function flagSetting(text: string | undefined, fallback: boolean): boolean {
  return text === undefined ? fallback : text === 'true';
}
