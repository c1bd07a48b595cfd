import { formatTime, jsonEqual, type KubeObject, parseApiVersion } from '@kubewright/kube';
import { merged } from '../../kit/merged.ts';
import { ANNOTATIONS, PREFIX, SYSTEM_KEYS } from '../api.ts';
import { approvalId, modeOf } from '../annotations/find-approval.ts';
import { formatTrace } from '../annotations/trace-of.ts';
import { hashesOf, userHash, withHash } from '../annotations/user-hash.ts';
import {
  type Annotations,
  annotationsForPeople,
  isForPeople,
  select,
  withAnnotations,
} from './annotations-for-people.ts';
import { completes } from './adds-defaults.ts';
import { keyOf } from './applied-by.ts';
import { isChanged } from './changed-fields.ts';
import { relationOf } from './controller-identity.ts';
import type { Verdict } from './detect-drift.ts';
import { nextTrace } from './next-trace.ts';
import { profileOf } from '../profiles/profiles.ts';
import { isDone, observedGenerationOf, phaseOf, settledGenerationOf } from './is-reconciling.ts';
import type { Review, Facts } from './review.ts';

const PERSISTENT = [
  ANNOTATIONS.controllers,
  ANNOTATIONS.observedGeneration,
  ANNOTATIONS.phase,
  ANNOTATIONS.settled,
  ANNOTATIONS.touched,
  ANNOTATIONS.revision,
] as const;

/** The annotations of an object after a create, an update of its spec, or a change of its owner alone. */
export function annotationsOfChange(review: Review, facts: Facts, verdict: Verdict, now: Date): Annotations {
  const { object, old, user } = review;
  // Who wrote the spec, and why, is as before.
  if (old !== undefined && !isChanged(old, object))
    return { ...annotationsOfMetadata(review, facts, now), ...usedApprovals(old, verdict) };
  const kept = merged(others(object), usersKeys(review, facts, now));
  const trace = nextTrace(review, facts, verdict, { annotations: kept, now });
  const updaters = withHash(hashesOf(old, ANNOTATIONS.updaters), userHash(user));
  const persistent = select(old, (key) => PERSISTENT.some((one) => one === key));
  const learned = merged(persistent, settledByItself(review), revisionOf(verdict));
  const written = { [ANNOTATIONS.trace]: formatTrace(trace), [ANNOTATIONS.updaters]: updaters.join(',') };
  return merged(kept, learned, merged(written, usedApprovals(old, verdict)));
}

/** The annotations after a write that changes neither spec nor status. */
export function annotationsOfMetadata(review: Review, facts: Facts, now: Date): Annotations {
  const { object, old, isOwn } = review;
  if (isOwn) return object.metadata.annotations ?? {};
  if (isCopy(review, facts)) return merged(others(object), select(old, isOurs));
  return merged(
    others(object),
    annotationsForPeople(review, facts, now),
    select(old, (key) => SYSTEM_KEYS.has(key)),
  );
}

function revisionOf(verdict: Verdict): Annotations {
  const isKnown = verdict.reason === 'NewRevision' || verdict.reason === 'Correction';
  return isKnown ? { [ANNOTATIONS.revision]: keyOf(verdict.applied.record) } : {};
}

/**
 * A controller that completes the spec of its own object, once that was done, asks itself for nothing. A person too may have
 * written the status, as `cmctl renew` does: what changes a field asks for something, whoever it is.
 */
function settledByItself({ old, object, user }: Review): Annotations {
  const generation = old?.metadata.generation;
  if (old === undefined || generation === undefined || settledGenerationOf(old) !== generation) return {};
  const isItself = hashesOf(old, ANNOTATIONS.controllers).includes(userHash(user));
  return isItself && completes(old, object) ? { [ANNOTATIONS.settled]: String(generation + 1) } : {};
}

/** The annotations after a write of the status, which identifies the controller and its progress. */
export function annotationsOfStatus({ object, old, user, isOwn }: Review, now: Date): Annotations {
  if (isOwn) return object.metadata.annotations ?? {};
  const controllers = withHash(hashesOf(old, ANNOTATIONS.controllers), userHash(user));
  const { generation = 0 } = object.metadata;
  const kept = merged(others(object), select(old, isOurs));
  const isInitialized = [withAnnotations(object, kept), ...(old === undefined ? [] : [old])].some(
    (one) => phaseOf(one) === 'Initialized',
  );
  const after = {
    ...kept,
    [ANNOTATIONS.controllers]: controllers.join(','),
    [ANNOTATIONS.observedGeneration]: String(generation),
    ...(isInitialized ? { [ANNOTATIONS.phase]: 'initialized' } : {}),
  };
  const isSettled = isInitialized && isDone(withAnnotations(object, after), now);
  if (isSettled) return { ...after, [ANNOTATIONS.settled]: String(generation) };
  return isInitialized ? { ...settledBefore(old, generation), ...after } : after;
}

/**
 * What was ready before anybody looked was settled then: of an object that was there when its policy began, the first change
 * is as unsettled as any other.
 */
function settledBefore(old: KubeObject | undefined, generation: number): Annotations {
  const observed = old && observedGenerationOf(old);
  const isFirst = old !== undefined && settledGenerationOf(old) === undefined;
  if (!isFirst || observed === undefined || observed >= generation) return {};
  return { [ANNOTATIONS.settled]: String(observed) };
}

/**
 * Whether somebody changes an annotation of the project that the object's kind belongs to, on an object that has a
 * controller: it may follow it, as KEDA is paused, although no generation changes.
 */
export function touchesInputs({ object, old, user, isOwn }: Review): boolean {
  const controllers = hashesOf(old, ANNOTATIONS.controllers);
  if (isOwn || old === undefined || controllers.length === 0 || controllers.includes(userHash(user)))
    return false;
  const { group } = parseApiVersion(object.apiVersion);
  const { follows = [] } = profileOf(object) ?? {};
  const isFollowed = (key: string): boolean => !isOurs(key) && follows.some((one) => isNamed(key, one));
  const [before, after] = [old, object].map((one) => ({
    annotations: select(one, (key) => isOfProject(key, group) || isFollowed(key)),
    labels: Object.fromEntries(Object.entries(one.metadata.labels ?? {}).filter(([key]) => isFollowed(key))),
  }));
  return !jsonEqual(before, after);
}

function isNamed(key: string, pattern: string): boolean {
  return pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
}

function isOfProject(key: string, group: string): boolean {
  const domain = key.slice(0, Math.max(0, key.indexOf('/')));
  if (group === '' || domain === '' || isOurs(key)) return false;
  return domain === group || domain.endsWith(`.${group}`) || group.endsWith(`.${domain}`);
}

/** The annotations after such a change. */
export function annotationsOfTouch({ object }: Review, now: Date): Annotations {
  return { ...object.metadata.annotations, [ANNOTATIONS.touched]: formatTime(now) };
}

/** The annotations for users. Those sent by the controller are copies. */
function usersKeys(review: Review, facts: Facts, now: Date): Annotations {
  return isCopy(review, facts) ? select(review.old, isForPeople) : annotationsForPeople(review, facts, now);
}

/**
 * Whether the writer is the controller of the object's parent, or may be, where it creates the object. A controller that
 * copies its parent's annotations copies ours too, without meaning them.
 */
export function isCopy(review: Review, { parent }: Facts): boolean {
  if (parent === undefined || review.isOwn) return false;
  const relation = relationOf(review, parent);
  return relation === 'controller' || (review.operation === 'CREATE' && relation === 'unknown');
}

function usedApprovals(old: KubeObject | undefined, verdict: Verdict): Annotations {
  const before = hashesOf(old, ANNOTATIONS.usedApprovals);
  const isUse = verdict.reason === 'Approved' && modeOf(verdict.approval) === 'once';
  const used = isUse ? withHash(before, approvalId(verdict.approval)) : before;
  return used.length === 0 ? {} : { [ANNOTATIONS.usedApprovals]: used.join(',') };
}

const isOurs = (key: string): boolean => key.startsWith(PREFIX);

function others(object: KubeObject): Annotations {
  return select(object, (key) => !isOurs(key));
}

/** Whether a write changes our annotations, those that count or those that are stored. Most do not. */
export function touchesOurs({ object, old, stored }: Review): boolean {
  return differ(old, object) || (stored !== undefined && differ(stored.old, stored.object));
}

function differ(old: KubeObject | undefined, object: KubeObject): boolean {
  const [before, after] = [select(old, isOurs), select(object, isOurs)];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].some((key) => before[key] !== after[key]);
}
