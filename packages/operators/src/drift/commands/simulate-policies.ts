import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { jsonOf } from '../annotations/read-annotation.ts';
import type { ApprovalRule, Condition } from '../approval-policy/read-policy.ts';
import { approveByPolicy } from '../decide/approve-by-policy.ts';
import type { Review } from '../decide/review.ts';
import type { DecisionLog, LoggedDecision } from '../decision-log/decision-logs.ts';
import { MAY_BE_SECRET } from '../decision-log/seen-objects.ts';

/** A drift of a log. */
export type LoggedDrift = {
  readonly namespace: string;
  readonly parent: DecisionLog['spec']['parent'];
  readonly decision: LoggedDecision;
};

/** `unknown`: that depends on an expression that reads what the log does not have. `by`: the rule. */
export type Simulated = {
  readonly drift: LoggedDrift;
  readonly verdict: 'approved' | 'not approved' | 'unknown';
  readonly by?: string;
};

/** The logged drift, the oldest first. */
export function loggedDrifts(logs: readonly DecisionLog[]): readonly LoggedDrift[] {
  return logs
    .flatMap(({ metadata: { namespace }, spec: { parent, decisions } }) =>
      decisions.map((decision) => ({ namespace, parent, decision })),
    )
    .filter(({ decision: { reason } }) => reason === 'Drift' || reason === 'Approved')
    .toSorted((a, b) => Date.parse(a.decision.time) - Date.parse(b.decision.time));
}

/** What rules would have approved of logged drift. Pure. */
export function simulatePolicies(
  rules: readonly ApprovalRule[],
  drifts: readonly LoggedDrift[],
): readonly Simulated[] {
  const used = new Set<string>();
  return drifts.map((drift) => simulateOne(rules, drift, used));
}

function simulateOne(rules: readonly ApprovalRule[], drift: LoggedDrift, used: Set<string>): Simulated {
  let unknown: string | undefined;
  for (const rule of rules) {
    if (!covers(rule, drift)) continue;
    const holds = rule.conditions.map((condition) => evaluate(condition, drift));
    if (holds.includes(false)) continue;
    const use = useOf(rule, drift);
    if (use !== undefined && used.has(use)) continue;
    if (holds.includes(undefined)) unknown ??= rule.title;
    else {
      if (use !== undefined) used.add(use);
      return { drift, verdict: 'approved', by: rule.title };
    }
  }
  return unknown === undefined
    ? { drift, verdict: 'not approved' }
    : { drift, verdict: 'unknown', by: unknown };
}

function covers(rule: ApprovalRule, { namespace, parent, decision }: LoggedDrift): boolean {
  const { operation, object, user, parentGeneration: generation = 0 } = decision;
  const child: KubeObject = {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { namespace, name: object.name },
  };
  const review: Review = { operation, isStatus: false, object: child, old: undefined, user, isOwn: false };
  const { apiVersion, kind, name } = parent;
  const owner: KubeObject = { apiVersion, kind, metadata: { namespace, name, generation } };
  const unconditional = { ...rule, conditions: [] };
  return approveByPolicy([unconditional], review, owner, new Date(decision.time)) !== undefined;
}

/** A rule of mode `once` approves one change of a child for each generation of its parent. */
function useOf({ title, mode }: ApprovalRule, { parent, decision }: LoggedDrift): string | undefined {
  if (mode !== 'once') return undefined;
  const { object, parentGeneration } = decision;
  return JSON.stringify([title, parent, object.apiVersion, object.kind, object.name, parentGeneration]);
}

/** Of a long trace, the log has only the first hop and the last. */
const ALL_HOPS = /\bhops\b/;
const OBJECTS = ['old', 'new', 'parent'] as const;

function evaluate({ text, evaluate: holds }: Condition, { decision }: LoggedDrift): boolean | undefined {
  const { trace, hops, user, operation } = decision;
  if (hops > trace.length && ALL_HOPS.test(text)) return undefined;
  const objects = objectsFor(text, decision);
  const known: readonly Json[] = trace;
  return objects && holds({ ...objects, trace: { origin: known[0] ?? null, hops: known }, user, operation });
}

/** The objects that an expression reads; undefined: the log does not have them as they were. */
function objectsFor(text: string, { operation, seen = {} }: LoggedDecision): JsonObject | undefined {
  const read = OBJECTS.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  if (read.length > 0 && (MAY_BE_SECRET.test(text) || /\bmanagedFields\b/.test(text))) return undefined;
  const absent = { CREATE: 'old', DELETE: 'new', UPDATE: undefined }[operation];
  const objects: [string, Json][] = [];
  for (const name of read) {
    const object = name === absent ? null : jsonOf(seen[name] ?? '');
    if (object === undefined) return undefined;
    objects.push([name, object]);
  }
  return Object.fromEntries(objects);
}
