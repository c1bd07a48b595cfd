import { createHash } from 'node:crypto';
import {
  canonicalJson,
  defined,
  formatTime,
  getOwn,
  isJsonObject,
  type JsonObject,
  jsonEqual,
  stringifyJson,
} from '@kubewright/kube';
import { ANNOTATIONS, type Approval, type Rejection } from '../api.ts';
import { readAnnotation, numberAt, objectsOf, textAt } from './read-annotation.ts';
import type { KubeObject } from '@kubewright/kube';

/** A child as approvals and rejections name it. */
export type Child = { readonly apiVersion: string; readonly kind: string; readonly name: string };

/** A change of a child, to be matched by approvals; `uid` is set for a deletion. */
export type Change = Child & { readonly namespace?: string; readonly uid?: string };

/** The approvals on a parent; none if the annotation cannot be parsed. */
export function approvalsOf(parent: KubeObject | undefined): readonly Approval[] {
  return (objectsOf(readAnnotation(parent, ANNOTATIONS.approvals) ?? '[]') ?? []).map(approvalOf);
}

/** The rejections on a parent; undefined if the annotation cannot be parsed, which rejects everything. */
export function rejectionsOf(parent: KubeObject | undefined): readonly Rejection[] | undefined {
  return objectsOf(readAnnotation(parent, ANNOTATIONS.rejections) ?? '[]')?.map((entry) => ({
    ...patternOf(entry),
    ...defined({ generation: numberAt(entry, 'generation'), reason: textAt(entry, 'reason') }),
  }));
}

function matchesChild(pattern: Child, child: Child): boolean {
  return (['apiVersion', 'kind', 'name'] as const).every(
    (key) => pattern[key] === '*' || pattern[key] === child[key],
  );
}

export function modeOf({ mode }: Approval): string {
  return mode === undefined || mode === '' ? 'once' : mode;
}

function isValid(approval: Approval, generation: number): boolean {
  const mode = modeOf(approval);
  if (mode === 'always') return true;
  return (mode === 'once' || mode === 'generation') && (approval.generation ?? 0) === generation;
}

/** Whether the entry names one child, without wildcards. */
export function isExact({ apiVersion, kind, name }: Child): boolean {
  return ![apiVersion, kind, name].includes('*');
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
  { generation, used }: { readonly generation: number; readonly used: readonly string[] },
): Approval | undefined {
  const valid = approvals.filter(
    (one) => matchesChild(one, change) && isOpenTo(one, change) && isValid(one, generation),
  );
  const unused = valid.filter((one) => modeOf(one) !== 'once' || !used.includes(approvalId(one)));
  return unused.find((one) => modeOf(one) !== 'once') ?? unused[0];
}

export function findRejection(
  rejections: readonly Rejection[],
  child: Child,
  generation: number,
): Rejection | undefined {
  return rejections.find(
    (one) => matchesChild(one, child) && ((one.generation ?? 0) === 0 || one.generation === generation),
  );
}

/**
 * The approvals without the used ones and without those for older generations. `always` stays, and so do approvals for
 * later generations.
 */
export function afterUse(
  approvals: readonly Approval[],
  used: readonly string[],
  generation: number,
): readonly Approval[] {
  return approvals.filter((one) => !used.includes(approvalId(one)) && !isStale(one, generation));
}

function isStale(approval: Approval, generation: number): boolean {
  return ['once', 'generation'].includes(modeOf(approval)) && (approval.generation ?? 0) < generation;
}

export function formatApprovals(approvals: readonly (Approval | Rejection)[]): string {
  return stringifyJson(approvals.map((one) => defined(one) as JsonObject));
}

/**
 * Adds user and time to approvals that are new in the annotation, so that equal approvals become distinct, and nobody
 * can approve in another user's name.
 */
export function signedApprovals(
  text: string,
  old: string | undefined,
  { user, now }: { readonly user: string; readonly now: Date },
): string {
  const entries = objectsOf(text);
  if (entries === undefined || text === old) return text;
  const known = objectsOf(old ?? '[]') ?? [];
  const signed = entries.map((entry) =>
    known.some((one) => jsonEqual(one, entry))
      ? entry
      : { ...entry, by: user, at: textAt(entry, 'at') ?? formatTime(now) },
  );
  return jsonEqual(signed, entries) ? text : stringifyJson(signed);
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
      reservedFor,
    }),
  };
}

function patternOf(entry: JsonObject): Child {
  const text = (key: keyof Child): string => textAt(entry, key) ?? '';
  return { apiVersion: text('apiVersion'), kind: text('kind'), name: text('name') };
}
