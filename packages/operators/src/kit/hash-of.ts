import crypto, { createHash } from 'node:crypto';
import { canonicalBytes, type Json } from '@kubewright/kube';

/** Hashes the canonical form: the order of keys does not matter. */
export function hashOf(value: Json): string {
  const digest = sha256(canonicalBytes(value));
  // Joined, it is a text of its own: a part of a text holds all of it in memory.
  return [digest.slice(0, 8), digest.slice(8, 16)].join('');
}

/**
 * Where Node has it, without an object that is collected later: some hundred of those make up a large part of what a webhook
 * allocates.
 */
const oneShot: typeof crypto.hash | undefined = crypto.hash;

function sha256(bytes: Uint8Array): string {
  return oneShot === undefined
    ? createHash('sha256').update(bytes).digest('hex')
    : oneShot('sha256', bytes, 'hex');
}
