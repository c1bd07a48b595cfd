import { isJsonArray, isJsonObject, type Json, type KubeObject } from '@kubewright/kube';
import { fieldText } from './in-pattern-syntax.ts';

const MOST_PLACES = 6;
/** Deeper than any Kubernetes type; objects are untrusted. */
const MAX_DEPTH = 32;

/** Where a live object has a field of this name, as patterns: a few at most, none in `managedFields`. */
export function findPlaces(live: KubeObject, name: string): readonly string[] {
  const places: string[] = [];
  const look = (value: Json, path: string, depth: number): void => {
    if (depth > MAX_DEPTH || places.length >= MOST_PLACES) return;
    if (isJsonArray(value)) value.forEach((item, index) => look(item, `${path}[${index}]`, depth + 1));
    if (!isJsonObject(value)) return;
    for (const [key, below] of Object.entries(value)) {
      const at = `${path}${fieldText(key)}`;
      if (key === name && places.length < MOST_PLACES) places.push(at);
      if (at !== '.metadata.managedFields') look(below, at, depth + 1);
    }
  };
  look(live, '', 0);
  return places;
}
