import type { Played } from './play-scenario.ts';

const COLUMNS = [
  'controller',
  'releases',
  'without',
  'log',
  'enforce',
  'expected',
  'drift',
  'judged false',
  'judged missed',
  'extra',
  'broken',
  's',
] as const;

export type Result = Played & { readonly releases: string };

/** A table for people: one line for each controller. */
export function formatResults(results: readonly Result[]): string {
  const rows = results.map(({ name, releases, tally, broken, seconds }) => {
    const { writes, expected, drift, falseAlarms, missed, extra } = tally;
    const counts = [writes.plain, writes.log, writes.enforce, expected, drift];
    const faults = [falseAlarms, missed, extra, broken].map(({ length }) => length);
    return [name, releases, ...counts, ...faults, Math.round(seconds)];
  });
  const lines = [COLUMNS, ...rows].map((row) => row.map(String));
  const widths = COLUMNS.map((_, index) => Math.max(...lines.map((row) => row[index]?.length ?? 0)));
  const pad = (row: readonly string[]): string =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  return lines.map(pad).join('\n');
}

/** What is not as it has to be. */
export function faultsOf({ tally, broken }: Played): readonly string[] {
  return [
    ...tally.falseAlarms.map(
      ({ at, verb, resource, namespace, name, user, code }) =>
        `judged false: ${at} ${verb} ${resource} ${namespace}/${name} by ${user}: ${code}`,
    ),
    ...tally.missed.map((what) => `judged missed: ${what}`),
    ...tally.extra.map((what) => `more writes than without a policy: ${what}`),
    ...broken.map((what) => `broken: ${what}`),
  ];
}
