import type { Json } from '@kubewright/kube';
import { type Match, matchLines } from './match-lines.ts';
import { shownAs } from './shown-as.ts';

/** Lines of `a` that lines of `b` take the place of, or that are the same in both. */
type Change = {
  readonly same: boolean;
  readonly a: readonly [from: number, to: number];
  readonly b: readonly [from: number, to: number];
};

const CONTEXT = 3;
/** The time of a diff grows with the square of the lines, and it blocks the event loop. */
const MAX_LINES = 10_000;
const MAX_LENGTH = 1024 * 1024;

/**
 * How two values of the type `form` differ, as `k8s.io/apimachinery/pkg/util/diff` prints it: a unified diff of their
 * indented JSON. Empty for values with more than 10,000 lines, or of more than 1 MiB.
 */
export function shownDiff(form: string, before: Json, after: Json): string {
  const [shownBefore, shownAfter] = [shownAs(form, before), shownAs(form, after)];
  if (Math.max(shownBefore.length, shownAfter.length) > MAX_LENGTH) return '';
  const [a, b] = [linesOf(shownBefore), linesOf(shownAfter)];
  if (Math.max(a.length, b.length) > MAX_LINES) return '';
  return hunksOf(changesOf(matchLines(a, b), a.length, b.length))
    .map((hunk) => hunkText(hunk, a, b))
    .join('');
}

const TOKEN = /"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]|[^"{}[\],:]+/g;

/** Compact JSON with a line for each value, indented by a space for each level. */
function linesOf(json: string): readonly string[] {
  let text = '';
  let depth = 0;
  const newLine = (): string => `\n${' '.repeat(depth)}`;
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '}' || token === ']') {
      depth--;
      text += newLine();
    }
    text += token;
    if (token === '{' || token === '[') depth++;
    if (token === '{' || token === '[' || token === ',') text += newLine();
    if (token === ':') text += ' ';
  }
  return text.split('\n');
}

/** All lines of both lists, in runs. */
function changesOf(matches: readonly Match[], lengthA: number, lengthB: number): readonly Change[] {
  const changes: Change[] = [];
  let [a, b] = [0, 0];
  for (const match of [...matches, { a: lengthA, b: lengthB, size: 0 }]) {
    if (a < match.a || b < match.b) changes.push({ same: false, a: [a, match.a], b: [b, match.b] });
    [a, b] = [match.a + match.size, match.b + match.size];
    if (match.size > 0) changes.push({ same: true, a: [match.a, a], b: [match.b, b] });
  }
  return changes;
}

/** The changes with what is around them, cut where much is the same. */
function hunksOf(changes: readonly Change[]): readonly (readonly Change[])[] {
  const hunks: Change[][] = [];
  let hunk: Change[] = [];
  for (const [index, change] of changes.entries()) {
    if (!change.same) {
      hunk.push(change);
      continue;
    }
    const length = change.a[1] - change.a[0];
    const [first, last] = [index === 0, index === changes.length - 1];
    if (!first && !last && length <= 2 * CONTEXT) {
      hunk.push(change);
      continue;
    }
    if (!first) hunks.push([...hunk, cut(change, 0, Math.min(CONTEXT, length))]);
    hunk = [cut(change, Math.max(0, length - CONTEXT), length)];
  }
  return hunk.some(({ same }) => !same) ? [...hunks, hunk] : hunks;
}

function cut({ same, a, b }: Change, from: number, to: number): Change {
  return { same, a: [a[0] + from, a[0] + to], b: [b[0] + from, b[0] + to] };
}

function hunkText(hunk: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (first === undefined || last === undefined) return '';
  const head = `@@ -${rangeText(first.a[0], last.a[1])} +${rangeText(first.b[0], last.b[1])} @@\n`;
  const marked = (mark: string, lines: readonly string[]): string =>
    lines.map((line) => `${mark}${line}\n`).join('');
  return (
    head +
    hunk
      .map((change) =>
        change.same
          ? marked(' ', a.slice(...change.a))
          : marked('-', a.slice(...change.a)) + marked('+', b.slice(...change.b)),
      )
      .join('')
  );
}

function rangeText(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return `${from + 1}`;
  return `${length === 0 ? from : from + 1},${length}`;
}
