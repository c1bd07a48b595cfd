import type { Json } from '@kubewright/kube';

/** A value as Go's `%+v` prints a `map[string]interface{}`: `map[a:1 b:[x y]]`, keys sorted. */
export function formatGo(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(formatGo).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${formatGo(item)}`).join(' ')}]`;
}
