import type { KubeObject } from '@kubewright/kube';
import { ANNOTATIONS, PREFIX, SYSTEM_KEYS } from '../api.ts';
import { approvalId, modeOf, signedApprovals } from '../annotations/find-approval.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';
import { formatTrace } from '../annotations/trace-of.ts';
import { hashesOf, userHash, withHash } from '../annotations/user-hash.ts';
import { relationOf } from './controller-identity.ts';
import type { Verdict } from './detect-drift.ts';
import { nextTrace } from './next-trace.ts';
import { phaseOf } from './is-reconciling.ts';
import type { Review, Facts } from './review.ts';

type Annotations = Readonly<Record<string, string>>;

const PERSISTENT = [ANNOTATIONS.controllers, ANNOTATIONS.observedGeneration, ANNOTATIONS.phase] as const;

/** The annotations of an object after a create, or an update of its spec. */
export function annotationsOfChange(review: Review, facts: Facts, verdict: Verdict, now: Date): Annotations {
  const { object, old, user } = review;
  const kept = { ...others(object), ...usersKeys(review, facts, now) };
  const trace = nextTrace(review, facts, verdict, { annotations: kept, now });
  const updaters = withHash(hashesOf(old, ANNOTATIONS.updaters), userHash(user));
  return {
    ...kept,
    ...select(old, (key) => PERSISTENT.some((one) => one === key)),
    [ANNOTATIONS.trace]: formatTrace(trace),
    [ANNOTATIONS.updaters]: updaters.join(','),
    ...usedApprovals(old, verdict),
  };
}

/** The annotations after a write that changes neither spec nor status. */
export function annotationsOfMetadata(review: Review, { parent }: Facts, now: Date): Annotations {
  const { object, old, isOwn } = review;
  if (isOwn) return object.metadata.annotations ?? {};
  // A controller that copies its parent's annotations copies ours too, without meaning them.
  const isCopy = parent !== undefined && relationOf(review, parent) === 'controller';
  if (isCopy) return { ...others(object), ...select(old, isOurs) };
  return { ...others(object), ...signed(review, now), ...select(old, (key) => SYSTEM_KEYS.has(key)) };
}

/** The annotations after a write of the status, which identifies the controller and its progress. */
export function annotationsOfStatus({ object, old, user, isOwn }: Review): Annotations {
  if (isOwn) return object.metadata.annotations ?? {};
  const controllers = withHash(hashesOf(old, ANNOTATIONS.controllers), userHash(user));
  const { generation = 0 } = object.metadata;
  const kept = { ...others(object), ...select(old, isOurs) };
  const isInitialized = phaseOf(withAnnotations(object, kept)) === 'Initialized';
  return {
    ...kept,
    [ANNOTATIONS.controllers]: controllers.join(','),
    [ANNOTATIONS.observedGeneration]: String(generation),
    ...(isInitialized ? { [ANNOTATIONS.phase]: 'initialized' } : {}),
  };
}

/** The annotations for users. Those sent by the controller are copies. */
function usersKeys(review: Review, { parent }: Facts, now: Date): Annotations {
  const { operation, old } = review;
  const relation = parent === undefined ? 'other' : relationOf(review, parent);
  const isForPeople = (key: string): boolean => isOurs(key) && !SYSTEM_KEYS.has(key);
  if (operation === 'CREATE') return relation === 'other' ? signed(review, now) : {};
  return relation === 'controller' ? select(old, isForPeople) : signed(review, now);
}

/** What users wrote, with their names added to new approvals. */
function signed({ object, old, user }: Review, now: Date): Annotations {
  const written = select(object, (key) => isOurs(key) && !SYSTEM_KEYS.has(key));
  const approvals = written[ANNOTATIONS.approvals];
  if (approvals === undefined) return written;
  const text = signedApprovals(approvals, readAnnotation(old, ANNOTATIONS.approvals), { user, now });
  return { ...written, [ANNOTATIONS.approvals]: text };
}

function usedApprovals(old: KubeObject | undefined, verdict: Verdict): Annotations {
  const before = hashesOf(old, ANNOTATIONS.usedApprovals);
  const isUse = verdict.reason === 'Approved' && modeOf(verdict.approval) === 'once';
  const used = isUse ? withHash(before, approvalId(verdict.approval)) : before;
  return used.length === 0 ? {} : { [ANNOTATIONS.usedApprovals]: used.join(',') };
}

function withAnnotations(object: KubeObject, annotations: Annotations): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const isOurs = (key: string): boolean => key.startsWith(PREFIX);

function others(object: KubeObject): Annotations {
  return select(object, (key) => !isOurs(key));
}

function select(object: KubeObject | undefined, isWanted: (key: string) => boolean): Annotations {
  const entries = Object.entries(object?.metadata.annotations ?? {});
  return Object.fromEntries(entries.filter(([key]) => isWanted(key)));
}

/** Whether a write changes our annotations. Most do not, and then the parent is not read. */
export function touchesOurs({ object, old }: Review): boolean {
  const [before, after] = [select(old, isOurs), select(object, isOurs)];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].some((key) => before[key] !== after[key]);
}
