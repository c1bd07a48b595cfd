import { type KubeObject, parseApiVersion } from '@kubewright/kube';
import type { Kausality } from '../api.ts';
import { nativeObservedGeneration, saysReady } from '../decide/is-reconciling.ts';
import { profileOf } from '../profiles/profiles.ts';

/** What a policy has counted of the writes below parents of a kind, as its status has it. */
export type KindCount = NonNullable<NonNullable<Kausality['status']>['kinds']>[number];

/** Whether drift below parents of a kind is told from what their controllers do on their own. */
export type Coverage = {
  readonly state: 'covered' | 'uncovered' | 'learning';
  /** Why. */
  readonly why: string;
};

/** A kind of which nothing else is known is enforced after so long without an alarm, and so many writes. */
const LEARNING_MS = 3 * 86_400_000;
const LEARNING_WRITES = 20;

/** The coverage of a parent's kind, from what its status says, and what has been counted. Pure. */
export function coverageOf(parent: KubeObject, count: KindCount | undefined, now: Date): Coverage {
  return isKnown(parent) ? coverageByProfile(parent) : learned(count, now);
}

/** The coverage of a kind that has been counted. */
export function coverageOfCount(count: KindCount, now: Date): Coverage {
  const { group, kind, isKnown: isKnownKind } = count;
  const parent = { apiVersion: group === '' ? 'v1' : `${group}/v1`, kind };
  if (isKnownKind === true || hasProfile(parent) || isOfKubernetes(parent)) return coverageByProfile(parent);
  return isKnownKind === undefined
    ? { state: 'learning', why: 'none was initialized yet' }
    : learned(count, now);
}

/** Whether its controller says when it has done what somebody wanted, or a profile does. */
export function isKnown(parent: KubeObject): boolean {
  if (hasProfile(parent) || isOfKubernetes(parent)) return true;
  return nativeObservedGeneration(parent) !== undefined || saysReady(parent);
}

/** When a kind that is being learned is covered, if nothing happens until then; undefined: it is not that alone. */
export function learnedAt({ writes, since, lastAlarm }: KindCount): Date | undefined {
  const from = Math.max(...[since, lastAlarm].map((time) => Date.parse(time ?? '') || 0));
  return writes < LEARNING_WRITES ? undefined : new Date(from + LEARNING_MS);
}

function coverageByProfile(parent: Pick<KubeObject, 'apiVersion' | 'kind'>): Coverage {
  const { uncovered } = profileOf(parent) ?? {};
  return uncovered === undefined
    ? { state: 'covered', why: 'it is known when its controller is done' }
    : { state: 'uncovered', why: uncovered };
}

function learned(count: KindCount | undefined, now: Date): Coverage {
  const nothing = 'no observedGeneration, no condition Ready or Available, and no profile';
  if (count === undefined) return { state: 'learning', why: `${nothing}; nothing is counted yet` };
  const at = learnedAt(count);
  if (at !== undefined && at <= now)
    return { state: 'covered', why: `learned: ${count.writes} writes, no alarm for 3 days` };
  const { writes, alarms } = count;
  const open =
    at === undefined
      ? `${writes} of ${LEARNING_WRITES} writes`
      : `3 days without an alarm are over at ${at.toISOString().replace(/\.\d+/, '')}`;
  return { state: 'learning', why: `${nothing}; learning: ${open}, ${alarms} alarms` };
}

function hasProfile(parent: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return profileOf(parent) !== undefined;
}

function isOfKubernetes({ apiVersion }: Pick<KubeObject, 'apiVersion'>): boolean {
  const { group } = parseApiVersion(apiVersion);
  return !group.includes('.') || group.endsWith('.k8s.io');
}
