/** `a[a] … a[a + size - 1]` equal `b[b] … b[b + size - 1]`. */
export type Match = { readonly a: number; readonly b: number; readonly size: number };

type Range = readonly [fromA: number, toA: number, fromB: number, toB: number];
type Places = ReadonlyMap<string, readonly number[]>;

/**
 * What two lists of lines have in common, in order, after `difflib` of Python, which `github.com/pmezard/go-difflib`
 * follows: the longest common run, then the same to both sides of it. No two matches touch.
 */
export function matchLines(a: readonly string[], b: readonly string[]): readonly Match[] {
  const places = placesOf(b);
  const matches: Match[] = [];
  const open: Range[] = [[0, a.length, 0, b.length]];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const match = extended(longest(a, places, range), a, b, range);
    if (match.size === 0) continue;
    const [fromA, toA, fromB, toB] = range;
    matches.push(match);
    open.push([fromA, match.a, fromB, match.b], [match.a + match.size, toA, match.b + match.size, toB]);
  }
  return joined(matches.sort((one, other) => one.a - other.a));
}

/** The places of each line. In a long list, lines in more than one place of a hundred begin no match. */
function placesOf(lines: readonly string[]): Places {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  }
  if (lines.length < 200) return places;
  const most = Math.floor(lines.length / 100) + 1;
  return new Map([...places].filter(([, indexes]) => indexes.length <= most));
}

/** Of the longest runs the first in `a`, of these the first in `b`. */
function longest(a: readonly string[], places: Places, [fromA, toA, fromB, toB]: Range): Match {
  let best: Match = { a: fromA, b: fromB, size: 0 };
  let ending = new Map<number, number>();
  for (let i = fromA; i < toA; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? '') ?? []) {
      if (j < fromB) continue;
      if (j >= toB) break;
      const size = (ending.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    ending = next;
  }
  return best;
}

/** The match with the lines around it that are equal but begin none. */
function extended(match: Match, a: readonly string[], b: readonly string[], range: Range): Match {
  const [fromA, toA, fromB, toB] = range;
  let before = 0;
  while (match.a - before > fromA && match.b - before > fromB) {
    if (a[match.a - before - 1] !== b[match.b - before - 1]) break;
    before++;
  }
  let { size } = match;
  while (match.a + size < toA && match.b + size < toB) {
    if (a[match.a + size] !== b[match.b + size]) break;
    size++;
  }
  return { a: match.a - before, b: match.b - before, size: size + before };
}

function joined(matches: readonly Match[]): readonly Match[] {
  const all: Match[] = [];
  for (const match of matches) {
    const last = all.at(-1);
    if (last !== undefined && last.a + last.size === match.a && last.b + last.size === match.b) {
      all[all.length - 1] = { ...last, size: last.size + match.size };
    } else {
      all.push(match);
    }
  }
  return all;
}
