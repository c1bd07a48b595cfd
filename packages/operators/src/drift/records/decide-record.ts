import type { KubeObject, Stored } from '@kubewright/kube';
import type { Decision } from '@kubewright/runtime';
import { ANNOTATIONS } from '../api.ts';
import type { RecordPlace } from '../annotations/object-record.ts';
import { afterUse, approvalsOf, formatApprovals } from '../annotations/find-approval.ts';
import { freezeOf } from '../annotations/freeze-of.ts';
import { withNotedControllers } from '../annotations/noted-controllers.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';
import { hashesOf, withHash } from '../annotations/user-hash.ts';
import { nativeObservedGeneration, phaseOf } from '../decide/is-reconciling.ts';
import type { Annotating } from './annotate-parent.ts';
import type { Note } from './notes.ts';
import { isConfirmed } from './status-claim.ts';
import { annotationsOfScale, isAwaited } from './scale-record.ts';

export type ObservedRecord = {
  readonly parent: Stored;
  readonly note: Note | undefined;
  /** Used approvals of mode `once` whose write is stored. */
  readonly used: readonly string[];
  /** Whether some were used for a write that is not stored, or not yet. */
  readonly isPending: boolean;
  readonly place: RecordPlace;
};

export type RecordAction = { readonly parent: Stored; readonly annotations: Annotating };

/**
 * Most servers store the annotations that the webhook adds to a status write; for the others they are written again.
 */
const SETTLE_MS = 1000;
/** The next write of the status records a scale too: it needs a write of its own only where there is none. */
const SCALED_MS: Readonly<Record<RecordPlace, number>> = { managedFields: 5000, annotations: 0 };
const LOOK_AGAIN_MS = 500;
/** The longest that a write may take from its admission on. One that the object does not show by then was not stored. */
const STORED_WITHIN_MS = 10_000;
/** A write that is not stored after this time was rejected: its approval is still unused. */
const GIVE_UP_MS = 60_000;

/** The annotations that a parent lacks. */
export function decideRecord(observed: ObservedRecord, now: Date): Decision<RecordAction, never> {
  const freeze = missingFreeze(observed.parent, observed.note);
  if (freeze !== undefined) return write('Braked', observed.parent, { [ANNOTATIONS.freeze]: freeze });
  return decideLearned(observed, now);
}

function decideLearned(observed: ObservedRecord, now: Date): Decision<RecordAction, never> {
  const { parent, note, used, place } = observed;
  if (used.length > 0) return write('ApprovalUsed', parent, { ...approvalsWithout(parent, used, now) });
  if (note === undefined) return { reason: 'UpToDate' };
  const age = now.getTime() - note.at;
  const scaled = annotationsOfScale(parent, note.scale);
  if (scaled !== undefined)
    return age < SCALED_MS[place]
      ? { reason: 'Waiting', requeueAfter: LOOK_AGAIN_MS }
      : write('Scaled', parent, scaled);
  const isSettled = age >= SETTLE_MS;
  const learned = isSettled && place === 'annotations' ? learnedFrom(parent, note) : {};
  if (Object.keys(learned).length > 0) return write('ControllerSeen', parent, learned);
  const isWaiting = !isSettled || isAwaiting(observed, note, age);
  return isWaiting ? { reason: 'Waiting', requeueAfter: LOOK_AGAIN_MS } : { reason: 'UpToDate' };
}

/** Whether something that the note speaks of may still be stored. */
function isAwaiting({ parent, isPending }: ObservedRecord, note: Note, age: number): boolean {
  const isClaimed = note.statuses.some((claim) => !isConfirmed(claim, parent));
  const isExpected = isPending || isAwaited(parent, note.scale);
  return (isExpected && age < GIVE_UP_MS) || (isClaimed && age < STORED_WITHIN_MS);
}

function write(
  reason: string,
  parent: Stored,
  annotations: RecordAction['annotations'],
): Decision<RecordAction, never> {
  return { reason, action: { parent, annotations } };
}

/** The freeze of the brake; one that is there already stays as it is. */
function missingFreeze(parent: KubeObject, note: Note | undefined): string | undefined {
  return freezeOf(parent) === undefined ? note?.freeze : undefined;
}

function approvalsWithout(
  parent: KubeObject,
  used: readonly string[],
  now: Date,
): Readonly<Record<string, string | null>> {
  const left = afterUse(approvalsOf(parent), used, { parent, now });
  return { [ANNOTATIONS.approvals]: left.length === 0 ? null : formatApprovals(left) };
}

function learnedFrom(parent: Stored, note: Note): Readonly<Record<string, string>> {
  const known = hashesOf(parent, ANNOTATIONS.controllers);
  const confirmed = note.statuses.filter((claim) => isConfirmed(claim, parent));
  const noted = hashesOf(withNotedControllers(parent), ANNOTATIONS.controllers);
  const controllers = confirmed.map(({ controller }) => controller).reduce(withHash, noted);
  const observedGeneration = Math.max(0, ...confirmed.map((claim) => claim.observedGeneration));
  const seen = Number(readAnnotation(parent, ANNOTATIONS.observedGeneration) ?? 0);
  const isBehind = nativeObservedGeneration(parent) === undefined && observedGeneration > seen;
  const isNew =
    phaseOf(parent) === 'Initialized' && readAnnotation(parent, ANNOTATIONS.phase) !== 'initialized';
  return {
    ...(controllers.join() === known.join() ? {} : { [ANNOTATIONS.controllers]: controllers.join(',') }),
    ...(isBehind ? { [ANNOTATIONS.observedGeneration]: String(observedGeneration) } : {}),
    ...(isNew ? { [ANNOTATIONS.phase]: 'initialized' } : {}),
  };
}
