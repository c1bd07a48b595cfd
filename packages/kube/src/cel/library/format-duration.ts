import type { Duration } from '@marcbachmann/cel-js/evaluator';

/** Seconds, as the shortest number that gives the same double; below one second, exact. */
export function formatDuration({ seconds, nanos }: Duration): string {
  if (seconds !== 0n) return `${Number(seconds) + nanos / 1e9}s`;
  const fraction = String(Math.abs(nanos)).padStart(9, '0').replace(/0+$/, '');
  return `${nanos < 0 ? '-' : ''}0${fraction === '' ? '' : `.${fraction}`}s`;
}
