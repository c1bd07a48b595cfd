import { canonicalJson, type corev1 } from '@kubewright/kube';
import { safeEncode } from './safe-encode.ts';

/**
 * The label `pod-template-hash` and the end of a ReplicaSet's name. It tells templates of one Deployment apart and
 * stays the same while the template does; it is not the value that Kubernetes computes, which hashes Go's memory.
 * `collisions` is the Deployment's `status.collisionCount`.
 */
export function templateHash(template: corev1.PodTemplateSpec, collisions?: number): string {
  const text = canonicalJson(template);
  return safeEncode(fnv32a(collisions === undefined ? text : `${text}#${collisions}`));
}

/** FNV-1a, 32 bits, over UTF-8. */
function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
