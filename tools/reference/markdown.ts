import type { Json } from '@kubewright/kube';

/** A cell: one line, and no bar that would end it. */
const cell = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', String.raw`\|`).trim();

/** `undefined` when there are no rows: an empty table says nothing. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string | undefined {
  if (rows.length === 0) return undefined;
  const lines = [heads, heads.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

export const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** Placeholders as `<name>` are text, not HTML; inside backticks they are anyway. */
export function plain(text: string): string {
  const parts = text.split('`');
  return parts
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('>', '&gt;')))
    .join('`');
}

/** A heading with what is under it; nothing where that is empty. */
export function section(heading: string, ...parts: readonly (string | undefined)[]): string | undefined {
  const filled = parts.filter((part) => part !== undefined && part !== '');
  return filled.length === 0 ? undefined : [heading, ...filled].join('\n\n');
}

/** A value as people write it: strings as they are, all else as JSON. */
export function shown(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}
