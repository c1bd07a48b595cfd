import { isJsonArray, type Json } from '@kubewright/kube';

/** About how many bytes a value has as JSON. */
export function weightOf(value: Json): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return 8;
  if (isJsonArray(value)) return value.reduce<number>((sum, item) => sum + weightOf(item), 2);
  let sum = 2;
  for (const [key, field] of Object.entries(value)) sum += key.length + 4 + weightOf(field);
  return sum;
}
