import {
  canonicalJson,
  formatTime,
  getOwn,
  type JsonObject,
  jsonEqual,
  type KubeObject,
  stringifyJson,
} from '@kubewright/kube';
import { isAmong, isNarrowedFrom } from './find-approval.ts';
import { numberAt, objectsOf, textAt } from './read-annotation.ts';
import { specHash } from './spec-hash.ts';

/** Who writes approvals, when, and on which object. */
type Signature = {
  readonly user: string;
  readonly now: Date;
  readonly object: KubeObject;
  /** The generations that mean this spec of the object: before the write, and after it. */
  readonly generations: readonly number[];
};

/**
 * Adds user, time and the hash of the spec to approvals that are new in the annotation, so that equal approvals become
 * distinct, nobody can approve in another user's name, and a Deployment's approvals outlast changes of its annotations.
 * A manifest has its approvals without these, each time that it is applied: what is stored of them stays.
 */
export function signedApprovals(
  text: string,
  old: string | undefined,
  { user, now, object, generations }: Signature,
): string {
  const entries = text === old ? undefined : objectsOf(text);
  if (entries === undefined) return text;
  const stored = objectsOf(old ?? '[]') ?? [];
  const isKnown = isNarrowedFrom(stored);
  const isSent = isAmong(entries);
  const appliedAgain = findUnsigned(stored.filter((one) => !isSent(one)));
  const isForSpec = (entry: JsonObject): boolean =>
    textAt(entry, 'mode') !== 'always' && generations.includes(numberAt(entry, 'generation') ?? 0);
  const sign = ({ specHash: _sent, ...entry }: JsonObject): JsonObject => ({
    ...entry,
    by: user,
    at: textAt(entry, 'at') ?? formatTime(now),
    ...(isForSpec(entry) ? { specHash: specHash(object) } : {}),
  });
  const signed = entries.map((entry) => (isKnown(entry) ? entry : (appliedAgain(entry) ?? sign(entry))));
  if (old !== undefined && jsonEqual(signed, stored)) return old;
  return jsonEqual(signed, entries) ? text : stringifyJson(signed);
}

/** Whether approvals as they are stored have all of those that were written. */
export function holdsApprovals(stored: string | undefined, sent: string): boolean {
  const find = findUnsigned(objectsOf(stored ?? '[]') ?? []);
  return (objectsOf(sent) ?? []).every((entry) => {
    const [found, change] = [find(entry), getOwn(entry, 'reservedFor')];
    return found !== undefined && (change === undefined || jsonEqual(change, getOwn(found, 'reservedFor')));
  });
}

/** Finds each stored approval once, by what people write in it. A time counts where they write one. */
function findUnsigned(stored: readonly JsonObject[]): (entry: JsonObject) => JsonObject | undefined {
  const left = new Map<string, JsonObject[]>();
  for (const one of stored) left.set(written(one), [...(left.get(written(one)) ?? []), one]);
  return (entry) => {
    const same = left.get(written(entry)) ?? [];
    const at = textAt(entry, 'at');
    const index = same.findIndex((one) => at === undefined || textAt(one, 'at') === at);
    return index < 0 ? undefined : same.splice(index, 1)[0];
  };
}

/** An approval without what only the webhook writes. */
function written({ by: _by, at: _at, specHash: _hash, reservedFor: _change, ...entry }: JsonObject): string {
  return canonicalJson(entry);
}
