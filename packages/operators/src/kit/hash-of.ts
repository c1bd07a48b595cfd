import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@kubewright/kube';

/** Hashes the canonical form: the order of keys does not matter. */
export function hashOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16);
}
