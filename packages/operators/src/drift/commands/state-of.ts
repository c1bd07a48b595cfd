import { defined, formatTime, type KubeObject } from '@kubewright/kube';
import type { Approval, Freeze, Rejection } from '../api.ts';
import { approvalsOf, rejectionsOf } from '../annotations/find-approval.ts';
import { freezeOf, isSnoozed, snoozeExpiry } from '../annotations/freeze-of.ts';
import { isReconciling, observedGenerationOf, type Phase, phaseOf } from '../decide/is-reconciling.ts';

/** What decides on changes of the objects that one owns. */
export type OwnerState = {
  readonly kind: string;
  readonly name: string;
  readonly generation: number;
  readonly observedGeneration?: number;
  readonly phase: Phase;
  /** What its controller changes now is expected. */
  readonly reconciling: boolean;
  readonly freeze?: Freeze;
  readonly snoozedUntil?: string;
  readonly approvals: readonly Approval[];
  readonly rejections: readonly Rejection[];
};

/** The state of an owner, as the webhook sees it. */
export function stateOf(owner: KubeObject, now: Date): OwnerState {
  const { kind, metadata } = owner;
  const expiry = snoozeExpiry(owner);
  return {
    kind,
    name: metadata.name ?? '',
    generation: metadata.generation ?? 0,
    phase: phaseOf(owner, now),
    reconciling: isReconciling(owner, now),
    approvals: approvalsOf(owner),
    // The webhook rejects everything then.
    rejections: rejectionsOf(owner) ?? [{ ...EVERYTHING, reason: 'the annotation is not readable' }],
    ...defined({ observedGeneration: observedGenerationOf(owner), freeze: freezeOf(owner) }),
    ...(expiry !== undefined && isSnoozed(owner, now) ? { snoozedUntil: formatTime(expiry) } : {}),
  };
}

const EVERYTHING = { apiVersion: '*', kind: '*', name: '*' };
