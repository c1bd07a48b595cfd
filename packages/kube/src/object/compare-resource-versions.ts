import { compareText } from '../json/compare-text.ts';

/** As servers write them: a positive whole number without leading zeros, of any length. */
const WELL_FORMED = /^[1-9]\d*$/;

/**
 * Whether version `a` of an object is older (below 0), the same (0) or newer (above 0) than `b`; both of one resource
 * of one server. Undefined where a server's versions cannot be compared: Kubernetes promises that they can since 1.35
 * (KEP-5504), API servers beside it may not.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!WELL_FORMED.test(a) || !WELL_FORMED.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return compareText(a, b);
}
