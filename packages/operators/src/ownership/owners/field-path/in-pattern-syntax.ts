import { canonicalElement, formatPathElement, parsePathElement } from '@kubewright/kube/fields';

/** A bracket and its content, or a name in which a backslash escapes. */
const PART = /\[((?:[^\]"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*)\]|\.?((?:[^.[\]\\]|\\.)+)/g;
const FILTER = /^\?\(\s*@\.([\w-]+)\s*==\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s)]+)\s*\)$/;
/** `f:name` ends at the next element. */
const FIELDS_V1 =
  /[./]?(f:(?:(?![./][fkvi]:).)+|k:\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}|v:"(?:[^"\\]|\\.)*"|v:[^./"]+|i:\d+)/gy;

/**
 * Converts a path in a common notation to a pattern: a JSON pointer (`/spec/replicas`), JSONPath (`{.spec.replicas}`),
 * elements of `managedFields` (`f:spec.f:replicas`), a validation error's path (`data[my.key]`), or a pattern already.
 */
export function inPatternSyntax(text: string): string {
  if (text.startsWith('/')) return fromPointer(text);
  if (/^\.?[fkvi]:/.test(text)) return fromFieldsV1(text);
  return fromJsonPath(text);
}

function fromPointer(text: string): string {
  const tokens = text.slice(1).split('/');
  return tokens.map((token) => fieldText(token.replaceAll('~1', '/').replaceAll('~0', '~'))).join('');
}

function fromFieldsV1(text: string): string {
  let pattern = '';
  let end = 0;
  for (const match of text.matchAll(FIELDS_V1)) {
    pattern += elementText(match[1] ?? '');
    end = match.index + match[0].length;
  }
  // Unparsable text stays, so that parsing the pattern reports it.
  return `${pattern}${text.slice(end)}`;
}

function elementText(raw: string): string {
  const element = canonicalElement(raw) ?? raw;
  const parsed = parsePathElement(element);
  return parsed.type === 'field' ? fieldText(parsed.name) : formatPathElement(element);
}

function fromJsonPath(text: string): string {
  const exclude = text.startsWith('!') ? '!' : '';
  const bare = text.slice(exclude.length).replace(/^\{(.*)\}$/s, '$1');
  const path = bare.replace(/^\$(?=[.[])/, '');
  return `${exclude}${path.replaceAll(PART, (part, bracket?: string, name?: string) => {
    if (bracket !== undefined) return bracketText(part, bracket.trim());
    return name?.includes('\\') === true ? fieldText(name.replaceAll(/\\(.)/g, '$1')) : part;
  })}`;
}

function bracketText(part: string, content: string): string {
  const filter = FILTER.exec(content);
  if (filter !== null) return `[${filter[1]}=${(filter[2] ?? '').replace(/^'(.*)'$/s, '"$1"')}]`;
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(content);
  if (quoted !== null) return fieldText((quoted[1] ?? '').replaceAll(/\\(.)/g, '$1'));
  const isPattern = content === '*' || content.startsWith("'") || content.includes('=') || content === '';
  return isPattern || /^\d+$/.test(content) ? part : fieldText(content);
}

/** A field in pattern syntax, quoted if necessary. */
export function fieldText(name: string): string {
  if (/^[^.[\]'"!\\]+$/.test(name)) return `.${name}`;
  return `['${name.replaceAll(/['\\]/g, String.raw`\$&`)}']`;
}
