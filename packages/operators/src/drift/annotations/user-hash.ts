import { createHash } from 'node:crypto';
import type { ANNOTATIONS } from '../api.ts';
import { readAnnotation } from './read-annotation.ts';
import type { KubeObject } from '@kubewright/kube';

const LENGTH = 5;
const MOST = 5;

/** Of the users who wrote last: few write most. */
const known = new Map<string, string>();
const MOST_KNOWN = 1000;
/** Longer names are hashed each time. */
const LONGEST_KNOWN = 256;

/** A user as five base-36 digits. The hash tells users apart; it proves nothing. */
export function userHash(user: string): string {
  const found = known.get(user);
  if (found !== undefined) return found;
  const hash = hashOf(user);
  if (user.length > LONGEST_KNOWN) return hash;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(user, hash);
  return hash;
}

function hashOf(user: string): string {
  const first = createHash('sha256').update(user).digest().readUInt32BE(0);
  return first.toString(36).padStart(LENGTH, '0').slice(0, LENGTH);
}

/** The form of a user or approval hash. Anything else was not written by the webhook. */
const HASH = /^(?:[0-9a-z]{5}|[0-9a-f]{10})$/;

/** Longer than any list of {@link MOST} hashes, blanks included. */
const MOST_CHARACTERS = 256;

/** Of the latest annotations, by their texts: a decision reads the same ones several times. */
const lists = new Map<string, readonly string[]>();

/** The latest hashes in an annotation, at most five. Entries of another form are dropped. */
export function hashesOf(
  object: KubeObject | undefined,
  key: typeof ANNOTATIONS.updaters | typeof ANNOTATIONS.controllers | typeof ANNOTATIONS.usedApprovals,
): readonly string[] {
  const text = readAnnotation(object, key);
  if (text === undefined) return [];
  const found = lists.get(text);
  if (found !== undefined) return found;
  const hashes = hashesIn(text);
  if (text.length > MOST_CHARACTERS) return hashes;
  if (lists.size >= MOST_KNOWN) lists.clear();
  lists.set(text, hashes);
  return hashes;
}

function hashesIn(text: string): readonly string[] {
  const entries = text.slice(-MOST_CHARACTERS).split(',');
  // The first may be the rest of a longer entry.
  const whole = text.length > MOST_CHARACTERS ? entries.slice(1) : entries;
  const hashes = whole.map((entry) => entry.trim()).filter((entry) => HASH.test(entry));
  return hashes.slice(-MOST);
}

/** The list with one more hash; of more than five the oldest is dropped. A known hash keeps its place. */
export function withHash(hashes: readonly string[], hash: string): readonly string[] {
  return (hashes.includes(hash) ? hashes : [...hashes, hash]).slice(-MOST);
}
