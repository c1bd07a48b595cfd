import { canonicalJson, type JsonObject } from '@kubewright/kube';
import { safeEncode } from '../workloads/safe-encode.ts';

/**
 * The end of a revision's name: FNV-1 (32 bits) over the bytes that Go writes for its data, and over the collision
 * count. The very value that Kubernetes computes.
 */
export function hashData(data: JsonObject, collisions: number): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${goJson(data)}${collisions}`)) {
    hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  }
  return safeEncode(hash);
}

/** Go's `encoding/json` writes some characters as escapes, so that JSON can stand in HTML and in JavaScript. */
function goJson(data: JsonObject): string {
  return canonicalJson(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
