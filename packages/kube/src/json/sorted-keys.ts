import { compareCodePoints } from './compare-code-points.ts';
import type { JsonObject } from './json.ts';

/** So many keys are sorted in their place. */
const FEW_KEYS = 24;

/** The keys in the order of the canonical form. Most objects have few keys, and many have them in order. */
export function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at] ?? '';
    if (compareCodePoints(keys[at - 1] ?? '', key) <= 0) continue;
    if (keys.length > FEW_KEYS) return keys.sort(compareCodePoints);
    let place = at;
    for (; place > 0 && compareCodePoints(keys[place - 1] ?? '', key) > 0; place--)
      keys[place] = keys[place - 1] ?? '';
    keys[place] = key;
  }
  return keys;
}
