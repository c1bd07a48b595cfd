import { printable } from './paint.ts';

const GAP = '   ';

/** Rows in aligned columns, the titles first, safe to print on a terminal. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths =
    rows[0]?.map((_title, column) =>
      rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0),
    ) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  return printable(lines.map((line) => `${line}\n`).join(''));
}
