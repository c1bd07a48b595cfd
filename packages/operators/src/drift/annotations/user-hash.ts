import { createHash } from 'node:crypto';
import type { ANNOTATIONS } from '../api.ts';
import { readAnnotation } from './read-annotation.ts';
import type { KubeObject } from '@kubewright/kube';

const LENGTH = 5;
const MOST = 5;

/** Five digits, base 36, that stand for a user in annotations. They tell users apart; they prove nothing. */
export function userHash(user: string): string {
  const first = createHash('sha256').update(user).digest().readUInt32BE(0);
  return first.toString(36).padStart(LENGTH, '0').slice(0, LENGTH);
}

/** A user, or an approval: what has another form was not written by us, or was changed on its way. */
const HASH = /^(?:[0-9a-z]{5}|[0-9a-f]{10})$/;

/** The users, or the approvals, that an annotation holds. What is none is left out: it would stand for somebody else. */
export function hashesOf(
  object: KubeObject | undefined,
  key: typeof ANNOTATIONS.updaters | typeof ANNOTATIONS.controllers | typeof ANNOTATIONS.usedApprovals,
): readonly string[] {
  const entries = (readAnnotation(object, key) ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => HASH.test(entry));
}

/** The list with one more, the oldest of more than five dropped. Who is in it keeps the place. */
export function withHash(hashes: readonly string[], hash: string): readonly string[] {
  return (hashes.includes(hash) ? hashes : [...hashes, hash]).slice(-MOST);
}
