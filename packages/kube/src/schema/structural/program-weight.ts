/** Of an instruction that compares one character. */
const INSTRUCTION = 10;
/** More, of a class of Unicode: it has hundreds of ranges. */
const UNICODE_CLASS = 200;
const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\[pP](?:\{[^}]{0,40}\}|[^])|\\x\{[^}]{0,40}\}|\\[^]?|\{(?<least>\d{1,4})(?<open>,(?<most>\d{0,4}))?\}|[^]/y;
const NAMED_CLASS = /\[:\^?\w{1,10}:\]/y;

/**
 * About what it takes to compile a pattern, known before it is compiled: ten for each instruction of its program, more for
 * large classes, with counted repetitions multiplied out. The real program is larger by a constant factor at most.
 */
export function programWeight(pattern: string): number {
  const groups = [0];
  let last = 0;
  const add = (weight: number): void => {
    last = weight;
    groups.push((groups.pop() ?? 0) + weight);
  };
  for (let at = 0; at < pattern.length; ) {
    const token = tokenAt(pattern, at);
    at += token.text.length;
    if (token.text === '(') groups.push(INSTRUCTION);
    else if (token.text === ')' && groups.length > 1) add(groups.pop() ?? 0);
    else if (token.repeats === undefined) add(weightOf(token.text));
    else {
      const whole = last * token.repeats;
      add(whole - last);
      last = whole;
    }
  }
  return groups.reduce((sum, weight) => sum + weight);
}

type Token = { readonly text: string; readonly repeats?: number };

function tokenAt(pattern: string, at: number): Token {
  if (pattern[at] === '[') return { text: pattern.slice(at, classEnd(pattern, at)) };
  TOKEN.lastIndex = at;
  const match = TOKEN.exec(pattern);
  const { least, open, most } = match?.groups ?? {};
  const text = match?.[0] ?? '';
  if (least === undefined) return { text };
  // With no upper limit, one more stands for the loop; `{0}` still has to be read.
  const repeats = open === undefined ? Number(least) : most === '' ? Number(least) + 1 : Number(most);
  return { text, repeats: Math.max(1, repeats) };
}

function classEnd(pattern: string, start: number): number {
  let at = start + (pattern[start + 1] === '^' ? 2 : 1);
  if (pattern[at] === ']') at++;
  while (at < pattern.length && pattern[at] !== ']') {
    NAMED_CLASS.lastIndex = at;
    at += pattern[at] === '\\' ? 2 : (NAMED_CLASS.exec(pattern)?.[0].length ?? 1);
  }
  return at + 1;
}

function weightOf(text: string): number {
  if (text.startsWith('\\Q')) return INSTRUCTION * text.length;
  const unicode = text.match(/\\[pP]/g)?.length ?? 0;
  return INSTRUCTION + text.length + UNICODE_CLASS * unicode;
}
