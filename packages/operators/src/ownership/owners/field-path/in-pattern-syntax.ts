import { canonicalElement, formatPathElement, parsePathElement } from '@kubewright/kube/fields';

/** A bracket and what is in it, or a name in which a backslash escapes. */
const PART = /\[((?:[^\]"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*)\]|\.?((?:[^.[\]\\]|\\.)+)/g;
const FILTER = /^\?\(\s*@\.([\w-]+)\s*==\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s)]+)\s*\)$/;
/** `f:name` ends where the next element begins. */
const FIELDS_V1 =
  /[./]?(f:(?:(?![./][fkvi]:).)+|k:\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}|v:"(?:[^"\\]|\\.)*"|v:[^./"]+|i:\d+)/gy;

/**
 * The pattern for a path as people find it: a JSON pointer (`/spec/replicas`), JSONPath (`{.spec.replicas}`), the
 * elements of `managedFields` (`f:spec.f:replicas`), the paths of validation errors (`data[my.key]`), or a pattern.
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
  // What cannot be read stays, so that it is named by who reads the pattern.
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

/** A field in the pattern's syntax, quoted where its name needs it. */
export function fieldText(name: string): string {
  if (/^[^.[\]'"!\\]+$/.test(name)) return `.${name}`;
  return `['${name.replaceAll(/['\\]/g, String.raw`\$&`)}']`;
}
