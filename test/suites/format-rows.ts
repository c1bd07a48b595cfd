import type { PackageRun } from './run-package.ts';

/** A package of a suite, run on both control planes. */
export type Row = { readonly title: string; readonly real: PackageRun; readonly ours: PackageRun };

const COLUMNS = [
  'suite',
  'real',
  'ours',
  'both',
  'again real',
  'again ours',
  's real',
  's ours',
  'MB real',
  'MB ours',
] as const;

/** The specs that passed on the real control plane alone. */
export function missedOf({ real, ours }: Row): readonly string[] {
  return [...real.passed].filter((title) => !ours.passed.has(title));
}

/** A table for people: one line for each package. */
export function formatRows(rows: readonly Row[]): string {
  const lines = [COLUMNS, ...rows.map(cellsOf)].map((row) => row.map(String));
  const widths = COLUMNS.map((_, index) => Math.max(...lines.map((row) => row[index]?.length ?? 0)));
  const pad = (cell: string, index: number): string =>
    index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0);
  return lines.map((row) => row.map(pad).join('  ')).join('\n');
}

function cellsOf(row: Row): readonly (string | number)[] {
  const { title, real, ours } = row;
  const both = real.passed.size - missedOf(row).length;
  const seconds = [real, ours].map((run) => run.seconds.toFixed(1));
  const megabytes = [real, ours].map((run) => (run.megabytes === 0 ? '-' : Math.round(run.megabytes)));
  return [title, real.passed.size, ours.passed.size, both, real.again, ours.again, ...seconds, ...megabytes];
}
