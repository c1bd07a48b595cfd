import { isJsonObject, type Json } from '@kubewright/kube';

/** What is at a path of keys; null when there is nothing. */
export function at(value: Json | undefined, ...path: readonly string[]): Json {
  return path.reduce<Json>(
    (inner, key) => (isJsonObject(inner) ? (inner[key] ?? null) : null),
    value ?? null,
  );
}

/** The same, where a text is expected. */
export function textAt(value: Json | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}
