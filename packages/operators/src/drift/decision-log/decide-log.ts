import type { Stored } from '@kubewright/kube';
import type { Decision } from '@kubewright/runtime';
import type { DecisionLog, LoggedDecision } from './decision-logs.ts';
import { type AcceptedContent, isKnownKind, MOST_CONTENTS, withContent } from '../decide/accepted-content.ts';
import { mergeDecisions } from './merge-decisions.ts';
import type { Pending } from './pending-decisions.ts';

export type ObservedLog = {
  readonly pending: Pending;
  /** Milliseconds since the first of them. */
  readonly age: number;
  /** How many decisions a log keeps. */
  readonly limit: number;
  readonly parent: Stored;
  readonly log: DecisionLog | undefined;
};

export type LogAction = Omit<ObservedLog, 'limit' | 'age'> & {
  readonly decisions: readonly LoggedDecision[];
  readonly contents: readonly AcceptedContent[];
};

/** People look for what they have done, and for drift, at once. */
const SETTLE_MS = 1000;
/** Nobody waits for what is expected of a controller, and a rollout makes many such decisions: they are one write. */
const ROUTINE_MS = 5000;

/** What is written to the log of a parent. Pure. */
export function decideLog(observed: ObservedLog): Decision<LogAction, never> {
  const { pending, age, parent, log, limit } = observed;
  if (isGone(observed)) return { reason: 'ParentGone' };
  const known = log?.spec.contents ?? [];
  const isFirst = pending.contents.some((content) => isNews(known, content));
  const settleMs = pending.isRoutine ? ROUTINE_MS : SETTLE_MS;
  if (age < settleMs && !isFirst) return { reason: 'Waiting', requeueAfter: settleMs - age };
  const decisions = mergeDecisions(log?.spec.decisions ?? [], pending.decisions, limit);
  const contents = pending.contents.reduce(withContent, known);
  return { reason: 'Logged', action: { pending, parent, log, decisions, contents } };
}

function isGone({ pending, parent: { metadata } }: ObservedLog): boolean {
  return (pending.uid ?? metadata.uid) !== metadata.uid || metadata.deletionTimestamp !== undefined;
}

/**
 * What a spec has given for the first time, other replicas need at once, and this one after a restart. Where it gives
 * more than are kept, what was forgotten looks as if it came for the first time.
 */
function isNews(known: readonly AcceptedContent[], content: AcceptedContent): boolean {
  const ofSpec = known.filter(({ inputs }) => inputs === content.inputs);
  return ofSpec.length < MOST_CONTENTS && !isKnownKind(ofSpec, content);
}
