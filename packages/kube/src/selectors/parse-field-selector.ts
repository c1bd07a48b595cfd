import { KubeError } from '../kube-error.ts';

/** One term of a field selector. `field` is a path that the server supports, such as `metadata.name`. */
export type FieldRequirement = {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
};

/**
 * Parses the `fieldSelector` of a request: `metadata.name=a,spec.nodeName!=b`. All terms must hold.
 * Throws {@link KubeError} `InvalidSelector`, worded as Go's `fields.ParseSelector` words it.
 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return splitTerms(text)
    .sort()
    .filter((term) => term !== '')
    .map((term) => parseTerm(term, text))
    .filter(({ field, value }) => field !== '' || value !== '');
}

/** Escapes `\`, `,` and `=` in a value for a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, String.raw`\$&`);
}

export function formatFieldSelector(requirements: readonly FieldRequirement[]): string {
  return requirements
    .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
    .join(',');
}

/** Splits at commas that no backslash protects; the backslashes stay. */
function splitTerms(text: string): string[] {
  return text.match(/(?:\\[^]|[^\\,]|\\$)+/g) ?? [];
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const match = /^([^]*?)(!=|==|=)([^]*)$/.exec(term);
  if (!match) {
    throw new KubeError('InvalidSelector', `invalid selector: '${selector}'; can't understand '${term}'`);
  }
  const [, field = '', operator, value = ''] = match;
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) };
}

function unescapeValue(value: string): string {
  return value.replace(/\\([^]?)|[,=]/gu, (sequence, escaped?: string) => {
    if (escaped !== undefined && escaped !== '' && '\\,='.includes(escaped)) return escaped;
    throw new KubeError(
      'InvalidSelector',
      escaped === undefined
        ? `invalid field selector: unescaped character in value: ${sequence.charCodeAt(0)}`
        : `invalid field selector: invalid escape sequence: ${sequence}`,
    );
  });
}
