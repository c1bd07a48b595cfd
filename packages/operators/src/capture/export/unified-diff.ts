type Edit = { readonly sign: ' ' | '-' | '+'; readonly line: string };

/** Equal lines that are shown around changes. */
const CONTEXT = 3;
/** Cells of the table of common lines; larger changes are shown as removed and added as a whole. */
const MOST_CELLS = 4_000_000;

/** What turns lines into others, as `diff -u` prints it, without the names of files; empty for equal lines. */
export function unifiedDiff(before: readonly string[], after: readonly string[]): string {
  const edits = editsOf(before, after);
  const hunks = hunksOf(edits).map(([from, to]) => hunkText(edits, from, to));
  return hunks.join('');
}

function editsOf(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [
    ...signed(' ', before.slice(0, start)),
    ...changesOf(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...signed(' ', before.slice(before.length - end)),
  ];
}

function signed(sign: Edit['sign'], lines: readonly string[]): readonly Edit[] {
  return lines.map((line) => ({ sign, line }));
}

function changesOf(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > MOST_CELLS) return [...signed('-', before), ...signed('+', after)];
  const common = commonLines(before, after);
  const signAt = (i: number, j: number): Edit['sign'] => {
    if (before[i] === after[j]) return ' ';
    if (i === before.length) return '+';
    const isRemoved =
      j === after.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0);
    return isRemoved ? '-' : '+';
  };
  const edits: Edit[] = [];
  for (let [i, j] = [0, 0]; i < before.length || j < after.length; ) {
    const sign = signAt(i, j);
    edits.push({ sign, line: (sign === '+' ? after[j] : before[i]) ?? '' });
    if (sign !== '+') i++;
    if (sign !== '-') j++;
  }
  return edits;
}

/** For each place in both, the length of the longest common subsequence of the rest. */
function commonLines(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const table = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const [down = 0, right = 0, both = 0] = [
        table[(i + 1) * width + j],
        table[i * width + j + 1],
        table[(i + 1) * width + j + 1],
      ];
      table[i * width + j] = before[i] === after[j] ? both + 1 : Math.max(down, right);
    }
  }
  return table;
}

/** Ranges of edits, each with its context; ranges that touch are one. */
function hunksOf(edits: readonly Edit[]): readonly (readonly [number, number])[] {
  const hunks: [number, number][] = [];
  for (const [index, { sign }] of edits.entries()) {
    if (sign === ' ') continue;
    const last = hunks.at(-1);
    const from = Math.max(0, index - CONTEXT);
    const to = Math.min(edits.length, index + CONTEXT + 1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else hunks.push([from, to]);
  }
  return hunks;
}

function hunkText(edits: readonly Edit[], from: number, to: number): string {
  const lines = edits.slice(from, to);
  const range = (sign: '-' | '+'): string => {
    const has = (edit: Edit): boolean => edit.sign !== (sign === '-' ? '+' : '-');
    const count = lines.filter(has).length;
    const first = edits.slice(0, from).filter(has).length + (count === 0 ? 0 : 1);
    return `${sign}${first},${count}`;
  };
  const body = lines.map(({ sign, line }) => `${sign}${line}\n`).join('');
  return `@@ ${range('-')} ${range('+')} @@\n${body}`;
}
