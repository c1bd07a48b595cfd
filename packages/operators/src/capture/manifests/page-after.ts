import type { JsonObject } from '@kubewright/kube';
import { weightOf } from '../../kit/weight-of.ts';

/** Objects may have more than 1 MiB each, and two pages are in memory. */
const PAGE_BYTES = 2_097_152;
const [SMALLEST, LARGEST] = [4, 200];

/** How many objects the first page has. */
export const FIRST_PAGE = 4;

/** How many objects the page after this one may have: as many as have been small enough, at most twice as many as now. */
export function pageAfter(items: readonly JsonObject[]): number {
  const size = items.reduce((sum, item) => sum + weightOf(item), 0);
  const fitting = Math.floor((PAGE_BYTES * items.length) / Math.max(size, 1));
  return Math.max(SMALLEST, Math.min(fitting, items.length * 2, LARGEST));
}
