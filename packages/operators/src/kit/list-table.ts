import { printable } from './paint.ts';

const GAP = '   ';

/** One column of a list. */
export type ListColumn<T> = {
  readonly title: string;
  readonly of: (item: T) => string;
  /** Only with `-o wide`. */
  readonly isWide?: true;
};

/** A table that goes on: each part below the one before, in the same columns. The titles come first, once. */
export function listTable<T>(
  columns: readonly ListColumn<T>[],
  { hasTitles }: { readonly hasTitles: boolean },
): (items: readonly T[], isWide?: boolean) => string {
  const widths: number[] = [];
  let titles = hasTitles;
  return (items, isWide = false) => {
    const shown = columns.filter((column) => isWide || column.isWide === undefined);
    const rows = [
      ...(titles ? [shown.map(({ title }) => title)] : []),
      ...items.map((item) => shown.map((column) => column.of(item).replaceAll('\n', ' '))),
    ];
    titles = false;
    for (const row of rows)
      row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
    const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(GAP));
    return printable(lines.map((line) => `${line.trimEnd()}\n`).join(''));
  };
}
