const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['[', ']'],
  ['"', '"'],
  ["'", "'"],
]);

/**
 * The values of a comma-separated annotation or environment variable. Commas inside brackets and quotes do not divide: a
 * path pattern may hold one in `['a,b']`. Loses nothing.
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

/** `true` is true, every other value false; `fallback` where there is none. */
export function flagSetting(text: string | undefined, fallback: boolean): boolean {
  return text === undefined ? fallback : text === 'true';
}
