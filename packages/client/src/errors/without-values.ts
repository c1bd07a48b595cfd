import { defined, type Status } from '@kubewright/kube';

/** Shows that something was left out. */
const ELIDED = '…';

/** `spec.a: Invalid value: `; the path of a field has no blank. */
const SHOWN = /(?:^|[\s[])([^\s:]*): (?:Invalid|Unsupported|Duplicate) value: /g;
/** `core.PodSpec{`, as Go prints a struct. */
const GO_STRUCT = /\b[a-z]\w*\.[A-Za-z]\w*\{/g;
/** `|…|`, as decoders of old servers show the place of an error. */
const DECODED = /(error found in #\d+ byte of \.\.\.)[^]*$/;

/** Fields whose values are credentials, or may be: of Secrets and ConfigMaps, environment variables, annotations. */
const PRIVATE_FIELD =
  /(?:^|\.)(?:data|stringData|binaryData|annotations|env|args|command)(?:[.[]|$)|pass(?:word|wd|phrase)|token|credential|authorization|bearer|api-?key|private-?key|access-?key|secret-?key|client-?key/i;
/** Of paths that match the above: the name of a variable, or of an object, is no secret. */
const NAME_FIELD = /(?:\bname|Name|\bkey|apiVersion|kind|Ref|Class)$/;

/**
 * An API server's message as it may be printed: without lists, maps and structs, which may be a whole pod with its environment,
 * and without any value of a Secret, an environment variable, an annotation or a credential. What is left of a value is `…`.
 */
export function messageWithoutValues(message: string, kind?: string): string {
  const isSecret = kind === 'Secret' || kind === 'secrets';
  const scalars = replaceAfter(message, SHOWN, (match, value) =>
    isSecret || isStructured(value) || isPrivateField(match[1] ?? '') ? elided(value) : value,
  );
  return replaceBraces(scalars).replace(DECODED, `$1${ELIDED}`);
}

/** A Status with messages that may be printed, see {@link messageWithoutValues}. */
export function statusWithoutValues(status: Status): Status {
  const { message, details } = status;
  const kind = details?.kind;
  const causes = details?.causes?.map((cause) =>
    cause.message === undefined
      ? cause
      : { ...cause, message: causeWithoutValues(cause.message, cause.field, kind) },
  );
  return {
    ...status,
    ...defined({ message: message === undefined ? undefined : messageWithoutValues(message, kind) }),
    ...(causes === undefined ? {} : { details: { ...details, causes } }),
  };
}

/** A cause has its field beside the message. */
function causeWithoutValues(message: string, field = '', kind: string | undefined): string {
  const prefix = `${field}: `;
  return messageWithoutValues(prefix + message, kind).slice(prefix.length);
}

/** Whether the value of a field may be a credential: it is not printed. */
export function isPrivateField(path: string): boolean {
  return PRIVATE_FIELD.test(path) && !NAME_FIELD.test(path);
}

function isStructured(value: string): boolean {
  return /^[[{]./.test(value) && value !== '{}' && value !== '[]';
}

/** What kind of value it was. */
function elided(value: string): string {
  if (value.startsWith('{')) return `{${ELIDED}}`;
  return value.startsWith('[') ? `[${ELIDED}]` : ELIDED;
}

/** Replaces the value that stands behind each match. Linear: each character is read once. */
function replaceAfter(
  text: string,
  pattern: RegExp,
  replace: (match: RegExpExecArray, value: string) => string,
): string {
  let out = '';
  let at = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const start = match.index + match[0].length;
    const end = valueEnd(text, start);
    out += text.slice(at, start) + replace(match, text.slice(start, end));
    at = end;
    // A match may begin with the blank that ends the value before it.
    pattern.lastIndex = Math.max(end - 1, start);
  }
  return out + text.slice(at);
}

function replaceBraces(text: string): string {
  let out = '';
  let at = 0;
  GO_STRUCT.lastIndex = 0;
  for (let match = GO_STRUCT.exec(text); match !== null; match = GO_STRUCT.exec(text)) {
    const open = match.index + match[0].length - 1;
    const end = valueEnd(text, open);
    out += `${text.slice(at, open)}{${ELIDED}}`;
    at = end;
    GO_STRUCT.lastIndex = end;
  }
  return out + text.slice(at);
}

/** Where a value ends that begins at `start`: of a string its quote, of a list, map or struct its bracket, else the next `:` or `,`. */
function valueEnd(text: string, start: number): number {
  const first = text.charAt(start);
  if (first === '"' || first === '`') return quoteEnd(text, start);
  if (first === '{' || first === '[') return bracketEnd(text, start);
  const rest = /[:,\]\s]/g;
  rest.lastIndex = start;
  return rest.exec(text)?.index ?? text.length;
}

/** A raw string of Go has no escapes. */
function quoteEnd(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at++) {
    if (text.charAt(at) === quote) return at + 1;
    if (quote === '"' && text.charAt(at) === '\\') at++;
  }
  return text.length;
}

function bracketEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"' || char === '`') at = quoteEnd(text, at) - 1;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}
