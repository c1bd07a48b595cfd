import { defined, type Json, type JsonObject, type KubeObject } from '@kubewright/kube';
import { celAllowance } from '@kubewright/kube/cel';
import { ANNOTATIONS, type Approval } from '../api.ts';
import { approvalId } from '../annotations/find-approval.ts';
import { traceOf } from '../annotations/trace-of.ts';
import { hashesOf } from '../annotations/user-hash.ts';
import type { Review } from './review.ts';
import { isOpen } from '../approval-policy/approval-window.ts';
import type { ApprovalRule } from '../approval-policy/read-policy.ts';

/** The approval by the first rule that covers a change; undefined: none does. Pure. */
export function approveByPolicy(
  rules: readonly ApprovalRule[],
  review: Review,
  parent: KubeObject,
  now: Date,
): Approval | undefined {
  const used = hashesOf(review.old, ANNOTATIONS.usedApprovals);
  const allowance = celAllowance();
  let variables: ReturnType<typeof variablesOf> | undefined;
  for (const rule of rules) {
    if (!covers(rule, review, parent) || !isInForce(rule, now)) continue;
    const approval = approvalOf(rule, review, parent);
    if (rule.mode === 'once' && used.includes(approvalId(approval))) continue;
    const known = (variables ??= variablesOf(review, parent));
    if (rule.conditions.every(({ evaluate }) => evaluate(known, allowance))) return approval;
  }
  return undefined;
}

function covers(rule: ApprovalRule, review: Review, parent: KubeObject): boolean {
  const { operation, object, user } = review;
  const { users, operations, generation, mode } = rule;
  // What a child has used goes with it.
  if (mode === 'once' && operation === 'DELETE') return false;
  const isMeant = (list: readonly string[], value: string): boolean =>
    list.length === 0 || list.includes(value);
  const isGeneration = generation === undefined || generation === parent.metadata.generation;
  return matches(rule, object) && isMeant(users, user) && isMeant(operations, operation) && isGeneration;
}

function matches(rule: ApprovalRule, { apiVersion, kind, metadata }: KubeObject): boolean {
  const { name = '', namespace = '' } = metadata;
  const child = { apiVersion, kind, name, namespace };
  return Object.entries(child).every(([key, value]) =>
    ['*', value].includes(rule[key as keyof typeof child]),
  );
}

function isInForce({ expiry, windows }: ApprovalRule, now: Date): boolean {
  if (expiry !== undefined && now >= expiry) return false;
  return windows.length === 0 || windows.some((window) => isOpen(window, now));
}

/** What an annotation would say; of mode `once`, it is another one for each generation of the parent. */
function approvalOf({ title: by, mode }: ApprovalRule, { object }: Review, parent: KubeObject): Approval {
  const { apiVersion, kind, metadata } = object;
  const { generation } = parent.metadata;
  return { apiVersion, kind, name: metadata.name ?? '', mode, by, ...defined({ generation }) };
}

function variablesOf(
  { operation, object, old, user }: Review,
  parent: KubeObject,
): Readonly<Record<string, Json>> {
  const hops = traceOf(parent) as readonly JsonObject[];
  return {
    old: old ?? null,
    new: operation === 'DELETE' ? null : object,
    parent,
    trace: { origin: hops[0] ?? null, hops },
    user,
    operation,
  };
}
