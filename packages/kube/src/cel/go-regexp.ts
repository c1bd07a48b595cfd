import { KubeError } from '../kube-error.ts';

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

const compiled = new Map<string, RegExp>();
const MAX_CACHED = 1000;

/**
 * A regular expression of Go's RE2 syntax as one of JavaScript: `(?i)` at the beginning, `(?P<name>…)`, `\A`, `\z` and
 * POSIX classes are translated. Throws {@link KubeError} `InvalidExpression` for what JavaScript does not compile.
 */
export function goRegExp(pattern: string): RegExp {
  const cached = compiled.get(pattern);
  if (cached) return cached;
  if (compiled.size >= MAX_CACHED) compiled.clear();
  const regexp = translate(pattern);
  compiled.set(pattern, regexp);
  return regexp;
}

function translate(pattern: string): RegExp {
  const [, flags = ''] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  const body = flags === '' ? pattern : pattern.slice(flags.length + 3);
  const source = body
    .replace(/\\[^]|\(\?P<|\[:(\w+):\]/g, (part, posix?: string) => translatePart(part, posix))
    .replaceAll('\\A', '^');
  // Without the unicode flag a lone bracket is taken literally, as RE2 takes it.
  for (const unicode of ['u', '']) {
    try {
      return new RegExp(source, [...new Set(flags + unicode)].join(''));
    } catch (error) {
      if (unicode === '') {
        throw new KubeError('InvalidExpression', `invalid regular expression: ${pattern}`, { cause: error });
      }
    }
  }
  throw new TypeError('unreachable');
}

function translatePart(part: string, posix: string | undefined): string {
  if (posix !== undefined) return POSIX[posix] ?? part;
  if (part === '(?P<') return '(?<';
  if (part === '\\z') return '(?![^])';
  // JavaScript's unicode mode refuses escapes of ordinary characters, which RE2 lets pass.
  return /^\\[!"#%&',:;<=>@_`~-]$/.test(part) ? escapeOrdinary(part) : part;
}

function escapeOrdinary(part: string): string {
  return `\\x${part.charCodeAt(1).toString(16).padStart(2, '0')}`;
}
