import { getOwn, isJsonArray, type Json, type JsonArray, type JsonObject } from '../json/json.ts';
import { quoteGo } from '../object/quote-go.ts';

/** What a step of a pointer leads into. */
export type Container = JsonObject | JsonArray;

/** Where a pointer leads: the names to its parent, and the last one. The empty pointer has none. */
export type JsonPointer = { readonly parents: readonly string[]; readonly key: string };

/** Splits a JSON pointer. Ignores everything before the first slash, as kube-apiserver's library does. */
export function parsePointer(text: string): JsonPointer | undefined {
  const steps = text.split('/').slice(1).map(decodeStep);
  const key = steps.pop();
  return key === undefined ? undefined : { parents: steps, key };
}

/** The container that holds the pointer's last step; undefined if a step before it leads nowhere. */
export function findParent(document: Container, pointer: JsonPointer): Container | undefined {
  let container = document;
  for (const step of pointer.parents) {
    const next = isJsonArray(container) ? itemAt(container, step) : getOwn(container, step);
    if (typeof next !== 'object' || next === null) return undefined;
    container = next;
  }
  return container;
}

/** The index of a step in a list of `length` items, or Go's error text. Negative ones count from the end. */
export function parseIndex(step: string, length: number): number | string {
  if (!/^[+-]?\d+$/.test(step)) return `strconv.Atoi: parsing ${quoteGo(step)}: invalid syntax`;
  const index = Number(step);
  if (!Number.isSafeInteger(index)) return `strconv.Atoi: parsing ${quoteGo(step)}: value out of range`;
  if (index >= length || index < -length) {
    return `Unable to access invalid index: ${index}: invalid index referenced`;
  }
  return index < 0 ? index + length : index;
}

function itemAt(list: JsonArray, step: string): Json | undefined {
  const index = parseIndex(step, list.length);
  return typeof index === 'number' ? list[index] : undefined;
}

function decodeStep(step: string): string {
  return step.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'));
}
