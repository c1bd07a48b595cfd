import type { Json } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import { KubeError } from '../kube-error.ts';
import { parseYaml } from './parse-yaml.ts';

/** As far as kubectl looks for the brace of a stream of JSON. */
const LOOKED_AT = 4096;

/**
 * The values in a text of YAML or JSON, as kubectl reads a file: objects of JSON one after the other, or documents of YAML,
 * split at lines that begin with `---` before anything is parsed. Those that are null are left out. Throws
 * {@link KubeError} `InvalidYaml` or `InvalidJson`.
 */
export function parseYamlStream(text: string, maxValues: number = Number.POSITIVE_INFINITY): readonly Json[] {
  const source = text.replace(/^\uFEFF/, '');
  const values: Json[] = [];
  let rest = source;
  if (source.slice(0, LOOKED_AT).trimStart().startsWith('{'))
    rest = source.slice(readJsonValues(source, values));
  const linesBefore = countLines(source.slice(0, source.length - rest.length));
  for (const { source: chunk, line } of documentsOf(rest))
    values.push(parseChunk(chunk, linesBefore + line, maxValues));
  return values.filter((value) => value !== null);
}

/** Reads values of JSON as long as there are any; where the next begins that is none. It may be YAML, unless it comes third. */
function readJsonValues(source: string, values: Json[]): number {
  let at = 0;
  for (;;) {
    const end = endOfObject(source, at);
    const value = end === undefined ? undefined : tryJson(source.slice(at, end));
    if (end === undefined || value === undefined) {
      if (values.length > 1 && source.slice(at).trim() !== '')
        throw new KubeError('InvalidJson', `object ${values.length + 1} is not JSON`);
      return source.slice(at).trim() === '' ? source.length : at + whitespaceBefore(source.slice(at));
    }
    values.push(value);
    at = end;
  }
}

function tryJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    // A number that is too large is one all the same.
    if (error instanceof KubeError && error.message.startsWith('json: cannot unmarshal number')) throw error;
    return undefined;
  }
}

/** Up to and including the first line break. */
function whitespaceBefore(text: string): number {
  const [space = ''] = /^[^\S\n]*\n?/.exec(text) ?? [];
  return space.length;
}

/** Where the object ends that begins at or after `from`, by its braces. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0;
  let at = from;
  while (/\s/.test(text[at] ?? '')) at++;
  if (text[at] !== '{') return undefined;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if ((code | 0x20) === OPEN) depth++;
    else if ((code | 0x20) === CLOSE && --depth === 0) return at + 1;
  }
  return undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Braces; brackets with their bit for small letters set. */
const OPEN = 0x7b;
const CLOSE = 0x7d;

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

function parseChunk(source: string, linesBefore: number, maxValues: number): Json {
  try {
    return parseYaml(source, maxValues).value;
  } catch (error) {
    throw error instanceof KubeError ? moved(error, linesBefore) : error;
  }
}

type Chunk = { readonly source: string; readonly line: number };

const SEPARATOR = /^---(.*)$/gm;

function documentsOf(text: string): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  let line = 0;
  const add = (to: number): void => {
    const chunk = text.slice(from, to);
    const source = chunk === '' || chunk.endsWith('\n') ? chunk : `${chunk}\n`;
    chunks.push({ source, line });
    line += countLines(source);
  };
  for (const { index, 0: mark, 1: after = '' } of text.matchAll(SEPARATOR)) {
    add(index);
    const rest = after.trim();
    if (rest !== '' && !rest.startsWith('#'))
      throw new KubeError('InvalidYaml', `line ${line + 1}, column 4: invalid document separator`);
    from = index + mark.length;
  }
  add(text.length);
  return chunks;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** The error with the line in the whole text. */
function moved({ code, message }: KubeError, lines: number): KubeError {
  const text = message.replace(/^line (\d+)/, (_all, line: string) => `line ${Number(line) + lines}`);
  return new KubeError(code, text);
}
