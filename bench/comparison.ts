/** One measured quantity on both sides. */
export type ComparisonRow = {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly theirs: number;
  /** The budget of `ours / theirs`: at least this where more is better, at most where less is. Infinity: there is none. */
  readonly target: number;
  readonly better: 'less' | 'more';
};

export type Comparison = {
  readonly title: string;
  readonly rows: readonly ComparisonRow[];
  /** The headings of `ours` and `theirs`. Default: embedded and real. */
  readonly sides?: readonly [ours: string, theirs: string];
};

/** `ours / theirs`; of nothing it is 0, whatever theirs is. */
export function ratio({ ours, theirs }: ComparisonRow): number {
  return ours === 0 ? 0 : ours / theirs;
}

export function meetsTarget(row: ComparisonRow): boolean {
  return row.better === 'less' ? ratio(row) <= row.target : ratio(row) >= row.target;
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3);
}

function verdict(row: ComparisonRow): readonly [budget: string, kept: string] {
  if (row.target === Number.POSITIVE_INFINITY) return ['-', '-'];
  return [`${row.better === 'less' ? '≤' : '≥'} ${digits(row.target)}×`, meetsTarget(row) ? 'yes' : 'NO'];
}

/** A table for people. */
export function formatComparison({ title, rows, sides = ['embedded', 'real'] }: Comparison): string {
  const cells = rows.map((row) => [
    `${row.name} (${row.unit})`,
    digits(row.ours),
    digits(row.theirs),
    `${digits(ratio(row))}×`,
    ...verdict(row),
  ]);
  const table = [['', ...sides, 'ratio', 'budget', 'kept'], ...cells];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return [title, ...table.map(line)].join('\n');
}
