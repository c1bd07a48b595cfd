import { failed } from '../failed.ts';

/** A clause of a template, `%.2f`: its verb, its precision and which of the arguments it takes. */
export type FormatClause = {
  readonly verb: string;
  readonly precision: number | undefined;
  readonly index: number;
};

const VERBS: ReadonlySet<string> = new Set('sdfebxXo');

/**
 * Reads a template of `string.format` and puts what `format` makes of each clause in its place. Throws in cel-go's words
 * where there are fewer than the `count` arguments, or a clause cannot be read.
 */
export function formatTemplate(
  template: string,
  count: number,
  format: (clause: FormatClause) => string,
): string {
  let index = 0;
  return template.replace(
    /%(?:%|(?:\.(\d*))?(.?))/gsu,
    (clause, precision: string | undefined, verb = '') => {
      if (clause === '%%') return '%';
      if (clause === '%') throw failed('unexpected end of string');
      if (index >= count) throw failed(`index ${index} out of range`);
      if (!VERBS.has(String(verb))) throw failed(unreadable(String(verb), precision));
      return format({
        verb: String(verb),
        precision: precision === undefined ? undefined : Number(precision),
        index: index++,
      });
    },
  );
}

function unreadable(verb: string, precision: string | undefined): string {
  const why =
    precision !== undefined && verb === ''
      ? 'error while parsing precision: could not find end of precision specifier'
      : `unrecognized formatting clause "${verb}"`;
  return `could not parse formatting clause: ${why}`;
}
