import { parseBoundedJson, parseJsonStrict } from '../json/parse-json.ts';
import { KubeError } from '../kube-error.ts';
import { composeFirstDocument } from './compose-first-document.ts';
import { documentToJson, type YamlReading } from './document-to-json.ts';
import { yamlError } from './yaml-error.ts';

/** As the Go library has it, but for a byte order mark, which the library skips. */
const FORBIDDEN = /(?![\t\n\u0085])\p{Cc}|[\uFFFE\uFFFF]/u;
const LINE_BREAK = /\r\n?|\u0085/g;

/** The most values of a body. Each takes some microseconds to read, in which nobody else has a turn. */
const MAX_VALUES = 100_000;
/** And its characters: a long text is read in one piece. */
const MAX_YAML_LENGTH = 2 * 1024 * 1024;

/**
 * What the Go library reads in another way when JSON is given to it as YAML: escapes that it does not take, line breaks, long
 * keys, floats. May match inside a string, which costs time and nothing else.
 */
const NOT_JSON_ALONE =
  /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]|\\(?:\/|u[dD][89a-fA-F])|"[^\S\n]*\n\s*:|"[^"]{1000,}"\s*:|[:,[]\s*-?\d[\d.]*[eE]/;

/**
 * The first document of a text of YAML, as a Kubernetes API server reads it: with sigs.k8s.io/yaml, which resolves scalars by
 * YAML 1.1 in its own way and makes JSON of the result. JSON is read quickly. Throws {@link KubeError} `InvalidYaml`, which
 * quotes nothing.
 *
 * `isStrict` looks for keys that are set twice. A body is bounded by {@link MAX_VALUES}, and one that is not JSON by {@link MAX_YAML_LENGTH}.
 */
export function parseYamlBody(source: string, isStrict: boolean): YamlReading {
  return toTheEnd(parseYamlInSteps(source, isStrict));
}

/** As {@link parseYamlBody}, in steps of some milliseconds: between two of them others may have their turn. */
export function* parseYamlInSteps(source: string, isStrict: boolean): Generator<void, YamlReading> {
  const read = readAsJson(source, isStrict);
  if (read !== undefined) return read;
  if (source.length > MAX_YAML_LENGTH)
    throw new KubeError('InvalidYaml', `exceeded ${MAX_YAML_LENGTH} characters`);
  return yield* parse(source, isStrict, MAX_VALUES);
}

/** As {@link parseYamlBody}, for a text that a user names: it may be large. */
export function parseYaml(source: string, maxValues: number = Number.POSITIVE_INFINITY): YamlReading {
  return toTheEnd(parse(source, false, maxValues));
}

function toTheEnd<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

function* parse(source: string, isStrict: boolean, maxValues: number): Generator<void, YamlReading> {
  const text = source.replace(/^\uFEFF/, '').replaceAll(LINE_BREAK, '\n');
  const forbidden = FORBIDDEN.exec(text);
  if (forbidden !== null) throw yamlError(text, forbidden.index, 'control characters are not allowed');
  const document = yield* composeFirstDocument(text, maxValues);
  return document === undefined ? { value: null, strict: [] } : documentToJson(text, document, isStrict);
}

function readAsJson(text: string, isStrict: boolean): YamlReading | undefined {
  if (!text.trimStart().startsWith('{') || NOT_JSON_ALONE.test(text)) return undefined;
  try {
    if (!isStrict) return { value: parseBoundedJson(text, MAX_VALUES), strict: [] };
    const { value, duplicates } = parseJsonStrict(text, MAX_VALUES);
    return duplicates.length === 0 ? { value, strict: [] } : undefined;
  } catch (error) {
    if (error instanceof KubeError && error.message.startsWith('exceeded'))
      throw new KubeError('InvalidYaml', error.message);
    return undefined;
  }
}
