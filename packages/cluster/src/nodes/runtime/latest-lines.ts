import type { LogLine } from './container-runtime.ts';

/** Of lines that are there, only so many of the latest; all of them where nothing is said. */
export function latestLines(
  lines: readonly LogLine[],
  tail: number = Number.POSITIVE_INFINITY,
): readonly LogLine[] {
  return lines.slice(Math.max(0, lines.length - tail));
}
