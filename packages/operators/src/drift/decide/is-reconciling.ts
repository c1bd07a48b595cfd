import type { JsonObject, KubeObject } from '@kubewright/kube';
import { ANNOTATIONS } from '../api.ts';
import { readAnnotation, numberAt, textAt } from '../annotations/read-annotation.ts';
import { traceOf } from '../annotations/trace-of.ts';
import { profileOf } from '../profiles/profiles.ts';
import type { Working } from '../profiles/profile.ts';
import {
  asGeneration,
  conditionOf,
  conditionsIn,
  generationAt,
  hasStatus,
  isTrue,
  specOf,
  statusAt,
  statusOf,
  timeOf,
} from './parent-status.ts';

export type Phase = 'Deleting' | 'Initializing' | 'Initialized';

/** What a status says, and a change that is not settled, are ignored after this time. */
const LONGEST_MS = 600_000;
/** For so long its controller may follow a changed annotation: nothing says when it has. */
const TOUCHED_MS = 60_000;
/** The conditions of which one says that a parent was ready. */
export const READY_CONDITIONS = ['Initialized', 'Ready', 'Available'] as const;

/**
 * The lifecycle phase of a parent. Once initialized it stays so, because conditions flap. At a time, also a parent is
 * initialized that has none of the conditions by which others are, and is older than any initialization takes.
 */
export function phaseOf(parent: KubeObject, now?: Date): Phase {
  if (parent.metadata.deletionTimestamp !== undefined) return 'Deleting';
  if (readAnnotation(parent, ANNOTATIONS.phase) === 'initialized') return 'Initialized';
  if (wasReady(parent)) return 'Initialized';
  return now !== undefined && isOldAndSilent(parent, now) ? 'Initialized' : 'Initializing';
}

function wasReady(parent: KubeObject): boolean {
  if (isReadyByProfile(parent)) return true;
  if (isTrue(parent, 'Initialized') || isTrue(parent, 'Ready')) return true;
  return observedGenerationOf(parent) !== undefined && isTrue(parent, 'Available');
}

function isReadyByProfile(parent: KubeObject): boolean {
  const { ready } = profileOf(parent) ?? {};
  if (ready === undefined) return false;
  return ready.length === 0 ? hasStatus(parent) : ready.every((type) => isTrue(parent, type));
}

function isOldAndSilent(parent: KubeObject, now: Date): boolean {
  const { ready, uncovered } = profileOf(parent) ?? {};
  const isSilent = ready === undefined && uncovered === undefined && !saysReady(parent);
  const created = timeOf(parent.metadata.creationTimestamp);
  return isSilent && created !== undefined && now.getTime() - created.getTime() >= LONGEST_MS;
}

/** Whether its status has a condition by which it can be initialized, True or not. */
export function saysReady(parent: KubeObject): boolean {
  return READY_CONDITIONS.some((type) => conditionOf(parent, type) !== undefined);
}

/** From the status, else from a condition, else as the webhook recorded it at the last write of the status. */
export function observedGenerationOf(parent: KubeObject): number | undefined {
  const native = nativeObservedGeneration(parent);
  if (native !== undefined) return native;
  const seen = readAnnotation(parent, ANNOTATIONS.observedGeneration) ?? '';
  return /^\d{1,15}$/.test(seen) ? Number(seen) : undefined;
}

/** Without the recorded annotation: where the profile says, of the status, of Synced, of Ready, or the latest of any condition. */
export function nativeObservedGeneration(parent: KubeObject): number | undefined {
  const status = statusOf(parent);
  const { observedGeneration: field } = profileOf(parent) ?? {};
  const named = field === undefined ? undefined : asGeneration(statusAt(parent, field));
  const first =
    named ??
    [status, conditionOf(parent, 'Synced'), conditionOf(parent, 'Ready')]
      .map(generationAt)
      .find((value) => value !== undefined);
  if (first !== undefined) return first;
  const others = conditionsIn(status).flatMap((condition) => generationAt(condition) ?? []);
  return others.length === 0 ? undefined : Math.max(...others);
}

/** The controller has not yet observed, or not yet completed, the parent's spec. */
export function isReconciling(parent: KubeObject, now: Date): boolean {
  return (
    isUnobserved(parent, now) || isUnsettled(parent, now) || isTouched(parent, now) || isAtWork(parent, now)
  );
}

/** A change by which the controller completes the spec of its own parent, once that was settled, is none to follow. */
function isUnobserved(parent: KubeObject, now: Date): boolean {
  const { generation = 0 } = parent.metadata;
  if (generation !== 0 && settledGenerationOf(parent) === generation) return false;
  const observed = observedGenerationOf(parent);
  if (generation === (observed ?? 0)) return false;
  // Whose status says nothing of generations may not be written for this one.
  const isRecorded = observed !== undefined && nativeObservedGeneration(parent) === undefined;
  return !isRecorded || isYoung(changedAt(parent) ?? now, now, LONGEST_MS);
}

function isAtWork(parent: KubeObject, now: Date): boolean {
  return isRollingOut(parent) || saysReconciling(parent, now) || saysWorking(parent);
}

/**
 * Whether the status says that the latest change is done. That it was observed is the first word about a change: the
 * parent is then as it is wanted, or it says that it is not ready yet.
 */
export function isDone(parent: KubeObject, now: Date): boolean {
  const { generation = 0 } = parent.metadata;
  if (generation !== (observedGenerationOf(parent) ?? 0)) return false;
  const { ready } = profileOf(parent) ?? {};
  const wanted =
    ready ?? ['Ready', 'Available'].filter((type) => conditionOf(parent, type) !== undefined).slice(0, 1);
  return wanted.every((type) => isTrue(parent, type)) && !isAtWork(parent, now);
}

/** The generation whose change was done, as recorded; undefined: none was yet. */
export function settledGenerationOf(parent: KubeObject): number | undefined {
  const text = readAnnotation(parent, ANNOTATIONS.settled) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A change is unsettled until its status has once said that it is done, for a time. */
function isUnsettled(parent: KubeObject, now: Date): boolean {
  const { generation = 0 } = parent.metadata;
  const settled = settledGenerationOf(parent);
  if (settled === undefined || settled >= generation) return false;
  const changed = changedAt(parent);
  return changed !== undefined && isYoung(changed, now, LONGEST_MS);
}

/** When the latest generation was written, as far as the trace has it. */
function changedAt(parent: KubeObject): Date | undefined {
  const hop = traceOf(parent).at(-1);
  return hop !== undefined && hop.generation === parent.metadata.generation
    ? timeOf(hop.timestamp)
    : undefined;
}

function isYoung(since: Date, now: Date, longest: number): boolean {
  return now.getTime() - since.getTime() < longest;
}

/** Somebody has just changed an annotation that it follows. */
function isTouched(parent: KubeObject, now: Date): boolean {
  const touched = timeOf(readAnnotation(parent, ANNOTATIONS.touched));
  return touched !== undefined && isYoung(touched, now, TOUCHED_MS);
}

/**
 * `observedGeneration` of a Deployment means observed, not done: each change of its pods is one step of a rollout. The
 * rollout is over when all pods have the newest template and their number is right.
 */
function isRollingOut(parent: KubeObject): boolean {
  if (parent.kind !== 'Deployment' || !parent.apiVersion.startsWith('apps/')) return false;
  const status = statusOf(parent);
  const wanted = numberAt(specOf(parent), 'replicas') ?? 1;
  const count = (name: string): number => numberAt(status, name) ?? 0;
  if (count('replicas') !== wanted || count('updatedReplicas') !== wanted) return true;
  const progressing = conditionOf(parent, 'Progressing');
  return progressing?.['status'] === 'True' && progressing['reason'] !== 'NewReplicaSetAvailable';
}

function saysReconciling(parent: KubeObject, now: Date): boolean {
  const condition = conditionOf(parent, 'Reconciling');
  if (condition?.['status'] !== 'True') return false;
  const since = timeOf(textAt(condition, 'lastTransitionTime'));
  return since !== undefined && now.getTime() - since.getTime() < LONGEST_MS;
}

function saysWorking(parent: KubeObject): boolean {
  return profileOf(parent)?.working?.some((one) => isWorking(parent, one)) === true;
}

function isWorking(parent: KubeObject, one: Working): boolean {
  if ('condition' in one) return conditionOf(parent, one.condition)?.['status'] === one.status;
  const value = statusAt(parent, one.field);
  if ('values' in one) return typeof value === 'string' && one.values.includes(value);
  const other = statusAt(parent, one.differsFrom);
  return value !== undefined && other !== undefined && value !== other;
}

/** A ReplicaSet without pods: a Deployment deletes those beyond its revisionHistoryLimit. */
export function isSpentReplicaSet(object: KubeObject): boolean {
  const isSet = object.kind === 'ReplicaSet' && object.apiVersion.startsWith('apps/');
  const replicas = (of: JsonObject, fallback: number): number => numberAt(of, 'replicas') ?? fallback;
  return isSet && replicas(specOf(object), 1) === 0 && replicas(statusOf(object), 0) === 0;
}
