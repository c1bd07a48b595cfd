import { isJsonArray, type Json, type JsonObject } from '@kubewright/kube';

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

/** About how many bytes a value has as JSON. */
function weightOf(value: Json): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return 8;
  if (isJsonArray(value)) return value.reduce<number>((sum, item) => sum + weightOf(item), 2);
  let sum = 2;
  for (const [key, field] of Object.entries(value)) sum += key.length + 4 + weightOf(field);
  return sum;
}
