import { type JsonObject, stringifyJson } from '@kubewright/kube';

/** The latest of each: many objects have the same ones, and are kept for as long as they exist. */
const texts = new Map<string, string>();
const objects = new Map<string, JsonObject>();
const MOST = 1000;
/** Longer ones are rarely the same. The status of a Deployment, as far as it counts, is shorter as JSON. */
const LONGEST = { text: 200, object: 400 };

/** An equal text, the same for all who ask. */
export function sharedText(text: string): string {
  return text.length > LONGEST.text ? text : known(texts, text, text);
}

/** An equal object, the same for all who ask: nobody changes it. */
export function shared(object: JsonObject): JsonObject {
  const text = stringifyJson(object);
  return text.length > LONGEST.object ? object : known(objects, text, object);
}

function known<T>(all: Map<string, T>, key: string, value: T): T {
  const found = all.get(key);
  if (found !== undefined) return found;
  if (all.size >= MOST) all.clear();
  all.set(key, value);
  return value;
}
