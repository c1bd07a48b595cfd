import crypto, { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@kubewright/kube';

/** Hashes the canonical form: the order of keys does not matter. */
export function hashOf(value: Json): string {
  return sha256(canonicalJson(value)).slice(0, 16);
}

/**
 * Where Node has it, without an object that is collected later: some hundred of those make up a large part of what a webhook
 * allocates.
 */
const oneShot: typeof crypto.hash | undefined = crypto.hash;

function sha256(text: string): string {
  return oneShot === undefined
    ? createHash('sha256').update(text).digest('hex')
    : oneShot('sha256', text, 'hex');
}
