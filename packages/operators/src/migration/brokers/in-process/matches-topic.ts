/** Matches words separated by dots; in the pattern `*` is one word, `#` any number of words. */
export function matchesTopic(pattern: string, routingKey: string): boolean {
  const words = routingKey.split('.');
  // The numbers of words that the pattern so far can match: no backtracking, however many `#` there are.
  let taken: ReadonlySet<number> = new Set([0]);
  for (const part of pattern.split('.'))
    taken = new Set([...taken].flatMap((count) => after(part, count, words)));
  return taken.has(words.length);
}

/** The numbers of words after `part`, from those before it. */
function after(part: string, count: number, words: readonly string[]): readonly number[] {
  if (part === '#') return Array.from({ length: words.length - count + 1 }, (_, more) => count + more);
  return count < words.length && (part === '*' || part === words[count]) ? [count + 1] : [];
}
