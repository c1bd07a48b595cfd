import { isJsonObject, type Json } from '@kubewright/kube';

/** What is at a path of keys; undefined when there is nothing. */
export function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, key) => {
    if (Array.isArray(inner)) return (inner as Json[])[Number(key)];
    return isJsonObject(inner) ? inner[key] : undefined;
  }, value);
}

/** The same, where a text is expected. */
export function textAt(value: Json | undefined, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}
