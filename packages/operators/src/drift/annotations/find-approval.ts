import { createHash } from 'node:crypto';
import {
  canonicalJson,
  defined,
  getOwn,
  isJsonObject,
  type JsonObject,
  KubeError,
  type KubeObject,
  parseTime,
  stringifyJson,
} from '@kubewright/kube';
import { ANNOTATIONS, type Approval, type Rejection } from '../api.ts';
import { countsAnnotations } from './counts-annotations.ts';
import { readAnnotation, numberAt, objectsOf, textAt } from './read-annotation.ts';
import { specHash } from './spec-hash.ts';

/** A child as approvals and rejections name it. */
export type Child = { readonly apiVersion: string; readonly kind: string; readonly name: string };

/** A change of a child, to be matched by approvals; `uid` is set for a deletion. */
export type Change = Child & {
  readonly namespace?: string;
  readonly uid?: string;
  /** Of a child that is created without a name: what the server makes one from. */
  readonly generateName?: string;
};

/** The approvals on a parent; none if the annotation cannot be parsed, or has too many. */
export function approvalsOf(parent: KubeObject | undefined): readonly Approval[] {
  return (objectsOf(readAnnotation(parent, ANNOTATIONS.approvals) ?? '[]') ?? []).map(approvalOf);
}

/** The rejections on a parent; undefined if the annotation cannot be parsed, or has too many: that rejects everything. */
export function rejectionsOf(parent: KubeObject | undefined): readonly Rejection[] | undefined {
  return objectsOf(readAnnotation(parent, ANNOTATIONS.rejections) ?? '[]')?.map((entry) => ({
    ...patternOf(entry),
    ...defined({ generation: numberAt(entry, 'generation'), reason: textAt(entry, 'reason') }),
  }));
}

function matchesChild(pattern: Child, child: Change): boolean {
  const isKind = (['apiVersion', 'kind'] as const).every(
    (key) => pattern[key] === '*' || pattern[key] === child[key],
  );
  return isKind && matchesName(pattern.name, child);
}

/** A name that ends with `*` is for all that begin so: the server makes another name from generateName each time. */
function matchesName(pattern: string, { name, generateName = '' }: Change): boolean {
  if (!pattern.endsWith('*')) return pattern === name;
  return (name === '' ? generateName : name).startsWith(pattern.slice(0, -1));
}

export function modeOf({ mode }: Approval): string {
  return mode === undefined || mode === '' ? 'once' : mode;
}

/** What approvals are checked against: the parent as it is now. */
type Moment = { readonly parent: KubeObject; readonly now: Date };

function isValid(approval: Approval, { parent, now }: Moment): boolean {
  if (isExpired(approval, now)) return false;
  const mode = modeOf(approval);
  return mode === 'always' || ((mode === 'once' || mode === 'generation') && isForItsSpec(approval, parent));
}

/** An expiry that cannot be parsed is over. */
function isExpired({ expiry }: Approval, now: Date): boolean {
  try {
    return expiry !== undefined && now >= parseTime(expiry);
  } catch (error) {
    if (error instanceof KubeError) return true;
    throw error;
  }
}

/** Whether the parent still has the spec that an approval is for, which its generation tells but for Deployments. */
function isForItsSpec({ generation = 0, specHash: approved }: Approval, parent: KubeObject): boolean {
  if (generation === (parent.metadata.generation ?? 0)) return true;
  return countsAnnotations(parent) && approved === specHash(parent);
}

/** Whether the entry names one child, without wildcards. */
export function isExact({ apiVersion, kind, name }: Child): boolean {
  return apiVersion !== '*' && kind !== '*' && !name.endsWith('*');
}

/** Not used yet, or reserved for this very change, which a server may send again. */
function isOpenTo({ reservedFor }: Approval, change: Change): boolean {
  const keys = ['apiVersion', 'kind', 'namespace', 'name', 'uid'] as const;
  return reservedFor === undefined || keys.every((key) => reservedFor[key] === change[key]);
}

/** A short id of an approval. Approvals that differ in anything but the reservation have different ids. */
export function approvalId({ reservedFor: _change, ...approval }: Approval): string {
  const hash = createHash('sha256').update(canonicalJson(defined(approval) as JsonObject));
  return hash.digest('hex').slice(0, 10);
}

/**
 * The approval that allows a change, if any. Permanent ones are preferred to those of mode `once`; `used` are ids of
 * mode `once` that the child has used.
 */
export function findApproval(
  approvals: readonly Approval[],
  change: Change,
  { used, ...moment }: Moment & { readonly used: readonly string[] },
): Approval | undefined {
  const valid = approvals.filter(
    (one) => matchesChild(one, change) && isOpenTo(one, change) && isValid(one, moment),
  );
  const unused = valid.filter((one) => modeOf(one) !== 'once' || !used.includes(approvalId(one)));
  return unused.find((one) => modeOf(one) !== 'once') ?? unused[0];
}

export function findRejection(
  rejections: readonly Rejection[],
  child: Change,
  generation: number,
): Rejection | undefined {
  return rejections.find(
    (one) => matchesChild(one, child) && ((one.generation ?? 0) === 0 || one.generation === generation),
  );
}

/** The rejection on a parent that matches a child. Rejections that cannot be parsed reject everything. */
export function rejectionOf(parent: KubeObject, child: Change): Rejection | undefined {
  const rejections = rejectionsOf(parent);
  if (rejections === undefined) {
    const { apiVersion, kind, name } = child;
    return { apiVersion, kind, name, reason: `${ANNOTATIONS.rejections} is not readable, or too long` };
  }
  return findRejection(rejections, child, parent.metadata.generation ?? 0);
}

/**
 * The approvals without the used ones, those that have expired, and those for older generations. `always` stays, and so
 * do approvals for later generations.
 */
export function afterUse(
  approvals: readonly Approval[],
  used: readonly string[],
  moment: Moment,
): readonly Approval[] {
  const gone = new Set(used);
  return approvals.filter((one) => !gone.has(approvalId(one)) && !isStale(one, moment));
}

function isStale(approval: Approval, { parent, now }: Moment): boolean {
  if (isExpired(approval, now)) return true;
  const isOlder = (approval.generation ?? 0) < (parent.metadata.generation ?? 0);
  return ['once', 'generation'].includes(modeOf(approval)) && isOlder && !isForItsSpec(approval, parent);
}

export function formatApprovals(approvals: readonly (Approval | Rejection)[]): string {
  return stringifyJson(approvals.map((one) => defined(one) as JsonObject));
}

/** Whether an entry of a list is one of those before, for lists of any length. */
export function isAmong(before: readonly JsonObject[]): (entry: JsonObject) => boolean {
  const known = new Set(before.map(canonicalJson));
  return (entry) => known.has(canonicalJson(entry));
}

/** Whether an approval is one of those before, or has been reserved since, so that it allows less. */
export function isNarrowedFrom(before: readonly JsonObject[]): (after: JsonObject) => boolean {
  const isKnown = isAmong(before);
  return ({ reservedFor: change, ...open }) =>
    isKnown(open) || (change !== undefined && isKnown({ ...open, reservedFor: change }));
}

function approvalOf(entry: JsonObject): Approval {
  const change = getOwn(entry, 'reservedFor');
  const reservedFor = isJsonObject(change)
    ? {
        ...patternOf(change),
        ...defined({ namespace: textAt(change, 'namespace'), uid: textAt(change, 'uid') }),
      }
    : undefined;
  return {
    ...patternOf(entry),
    ...defined({
      generation: numberAt(entry, 'generation'),
      mode: textAt(entry, 'mode'),
      by: textAt(entry, 'by'),
      at: textAt(entry, 'at'),
      reason: textAt(entry, 'reason'),
      expiry: expiryOf(entry),
      specHash: textAt(entry, 'specHash'),
      reservedFor,
    }),
  };
}

/** An expiry of another type is none that can be parsed. */
function expiryOf(entry: JsonObject): string | undefined {
  const value = getOwn(entry, 'expiry');
  return value === undefined || typeof value === 'string' ? value : '';
}

function patternOf(entry: JsonObject): Child {
  const text = (key: keyof Child): string => textAt(entry, key) ?? '';
  return { apiVersion: text('apiVersion'), kind: text('kind'), name: text('name') };
}
