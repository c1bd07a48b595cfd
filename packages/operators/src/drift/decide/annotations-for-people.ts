import type { KubeObject } from '@kubewright/kube';
import { merged } from '../../kit/merged.ts';
import { ANNOTATIONS, LABEL_PREFIX, type Mode, PREFIX, SYSTEM_KEYS } from '../api.ts';
import { countsAnnotations } from '../annotations/counts-annotations.ts';
import { approvalsOf, isAmong, isNarrowedFrom, rejectionsOf } from '../annotations/find-approval.ts';
import { signedApprovals } from '../annotations/signed-approvals.ts';
import { freezeOf } from '../annotations/freeze-of.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';
import { hashesOf, userHash } from '../annotations/user-hash.ts';
import { isChanged } from './changed-fields.ts';
import type { Facts, Review } from './review.ts';

export type Annotations = Readonly<Record<string, string>>;

/**
 * The annotations for people that a write stores, with its user's name in new approvals. An object's controller is
 * gated by them, and so changes none but the labels of its hop.
 */
export function annotationsForPeople(review: Review, facts: Facts, now: Date): Annotations {
  const { object, old } = review;
  const sent = select(object, isForPeople);
  if (!isGated(review, facts)) return signed(sent, review, now);
  const isLabel = (key: string): boolean => key.startsWith(LABEL_PREFIX);
  const labels = Object.entries(sent).filter(([key]) => isLabel(key));
  const kept = select(old, (key) => isForPeople(key) && !isLabel(key));
  return merged(Object.fromEntries(labels), kept);
}

/** Whether the user is the object's controller: has written its status before. */
function isGated({ old, user }: Review, { approvesItself = false }: Facts): boolean {
  return !approvesItself && hashesOf(old, ANNOTATIONS.controllers).includes(userHash(user));
}

export function isForPeople(key: string): boolean {
  return key.startsWith(PREFIX) && !SYSTEM_KEYS.has(key);
}

/** Of the annotations that a controller sent for an object of its own, what is not stored. */
export function droppedFrom(review: Review, facts: Facts, stored: Annotations): readonly string[] {
  if (!isGated(review, facts)) return [];
  const { annotations: sent = {} } = review.object.metadata;
  const keys = [...Object.keys(sent), ...Object.keys(stored)].filter(isForPeople);
  return [...new Set(keys)].filter((key) => sent[key] !== stored[key]);
}

/** The annotations by which a write lets more through than before: for these, the user needs the right to approve. */
export function loosening(old: KubeObject | undefined, stored: Annotations): readonly string[] {
  const next = withAnnotations(old ?? { apiVersion: '', kind: '', metadata: {} }, stored);
  // What a write leaves as it is, it does not loosen; and any annotation may be long.
  const isTouched = (key: string): boolean => readAnnotation(old, key) !== readAnnotation(next, key);
  return LOOSENED.flatMap(([key, isLoosened]) => (isTouched(key) && isLoosened(old, next) ? [key] : []));
}

type Loosened = (old: KubeObject | undefined, next: KubeObject) => boolean;

/** By annotation: whether the new one lets more through. */
const LOOSENED: readonly (readonly [key: string, Loosened])[] = [
  [ANNOTATIONS.approvals, approvesMore],
  [ANNOTATIONS.rejections, isRejectionLifted],
  [ANNOTATIONS.freeze, (old, next) => freezeIn(old) !== undefined && freezeOf(next) === undefined],
  [ANNOTATIONS.mode, (old, next) => old !== undefined && isLogged(readMode(old), readMode(next))],
];

function freezeIn(old: KubeObject | undefined): ReturnType<typeof freezeOf> {
  return old === undefined ? undefined : freezeOf(old);
}

/** Rejections that cannot be parsed reject everything. */
function isRejectionLifted(old: KubeObject | undefined, next: KubeObject): boolean {
  const [before, after] = [rejectionsOf(old), rejectionsOf(next)];
  if (after === undefined) return false;
  // What was there and is there no more is lifted.
  return before === undefined || !before.every(isAmong(after));
}

function approvesMore(old: KubeObject | undefined, next: KubeObject): boolean {
  return !approvalsOf(next).every(isNarrowedFrom(approvalsOf(old)));
}

/** What nobody denies on the object itself, its namespace and policies may deny. */
function isLogged(before: Mode | undefined, after: Mode | undefined): boolean {
  return (after === 'log' && before !== 'log') || (before === 'enforce' && after === undefined);
}

function readMode(object: KubeObject): Mode | undefined {
  const mode = readAnnotation(object, ANNOTATIONS.mode);
  return mode === 'log' || mode === 'enforce' ? mode : undefined;
}

function signed(sent: Annotations, review: Review, now: Date): Annotations {
  const { object, old, user } = review;
  const approvals = sent[ANNOTATIONS.approvals];
  if (approvals === undefined) return sent;
  const signature = { user, now, object, generations: generationsOf(review) };
  const text = signedApprovals(approvals, readAnnotation(old, ANNOTATIONS.approvals), signature);
  return { ...sent, [ANNOTATIONS.approvals]: text };
}

/** Those that mean the spec as it is stored. Whoever approves may have read the one before or the one after. */
function generationsOf({ old, object }: Review): readonly number[] {
  if (old === undefined) return [1];
  const { generation = 0 } = old.metadata;
  if (isChanged(old, object)) return [generation + 1];
  return countsAnnotations(object) ? [generation, generation + 1] : [generation];
}

export function withAnnotations(object: KubeObject, annotations: Annotations): KubeObject {
  return { ...object, metadata: merged(object.metadata, { annotations }) };
}

export function select(object: KubeObject | undefined, isWanted: (key: string) => boolean): Annotations {
  const entries = Object.entries(object?.metadata.annotations ?? {});
  return Object.fromEntries(entries.filter(([key]) => isWanted(key)));
}
