/** The name that somebody who typed `text` meant, if one is close. */
export function closestName(text: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  // Of three letters one may be wrong, of six two.
  let least = Math.floor(text.length / 3) + 1;
  for (const name of names) {
    const distance = editDistance(text.toLowerCase(), name.toLowerCase(), least);
    if (distance >= least) continue;
    best = name;
    least = distance;
  }
  return best;
}

/** Levenshtein's distance; `most` where it is that or more. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) >= most) return most;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return Math.min(row[b.length] ?? most, most);
}
