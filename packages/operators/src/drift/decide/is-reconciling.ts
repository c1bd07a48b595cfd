import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  KubeError,
  type KubeObject,
  parseTime,
} from '@kubewright/kube';
import { ANNOTATIONS } from '../api.ts';
import { readAnnotation, numberAt, textAt } from '../annotations/read-annotation.ts';

export type Phase = 'Deleting' | 'Initializing' | 'Initialized';

/** The condition Reconciling is ignored after this time. */
const LONGEST_MS = 600_000;

/** The lifecycle phase of a parent. Once initialized it stays so, because conditions flap. */
export function phaseOf(parent: KubeObject): Phase {
  if (parent.metadata.deletionTimestamp !== undefined) return 'Deleting';
  if (readAnnotation(parent, ANNOTATIONS.phase) === 'initialized') return 'Initialized';
  const isTrue = (type: string): boolean => conditionOf(parent, type)?.['status'] === 'True';
  if (isTrue('Initialized') || isTrue('Ready')) return 'Initialized';
  const isAvailable = observedGenerationOf(parent) !== undefined && isTrue('Available');
  return isAvailable ? 'Initialized' : 'Initializing';
}

/** From the status, else from a condition, else as the webhook recorded it at the last write of the status. */
export function observedGenerationOf(parent: KubeObject): number | undefined {
  const native = nativeObservedGeneration(parent);
  if (native !== undefined) return native;
  const seen = readAnnotation(parent, ANNOTATIONS.observedGeneration) ?? '';
  return /^\d{1,15}$/.test(seen) ? Number(seen) : undefined;
}

/** Without the recorded annotation. */
export function nativeObservedGeneration(parent: KubeObject): number | undefined {
  const said = [statusOf(parent), conditionOf(parent, 'Synced'), conditionOf(parent, 'Ready')];
  return said.map((from) => numberAt(from ?? {}, 'observedGeneration')).find((value) => value !== undefined);
}

/** The controller has not yet observed, or not yet completed, the parent's spec. */
export function isReconciling(parent: KubeObject, now: Date): boolean {
  if ((parent.metadata.generation ?? 0) !== (observedGenerationOf(parent) ?? 0)) return true;
  return isRollingOut(parent) || saysReconciling(parent, now);
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

function timeOf(text: string | undefined): Date | undefined {
  try {
    return text === undefined ? undefined : parseTime(text);
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}

function conditionOf(parent: KubeObject, type: string): JsonObject | undefined {
  const conditions = getOwn(statusOf(parent), 'conditions');
  if (!isJsonArray(conditions)) return undefined;
  return conditions.filter((one) => isJsonObject(one)).find((one) => getOwn(one, 'type') === type);
}

const statusOf = (object: KubeObject): JsonObject => fieldOf(object, 'status');
const specOf = (object: KubeObject): JsonObject => fieldOf(object, 'spec');

function fieldOf(object: KubeObject, name: 'spec' | 'status'): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** A ReplicaSet without pods: a Deployment deletes those beyond its revisionHistoryLimit. */
export function isSpentReplicaSet(object: KubeObject): boolean {
  const isSet = object.kind === 'ReplicaSet' && object.apiVersion.startsWith('apps/');
  const replicas = (of: JsonObject, fallback: number): number => numberAt(of, 'replicas') ?? fallback;
  return isSet && replicas(specOf(object), 1) === 0 && replicas(statusOf(object), 0) === 0;
}
