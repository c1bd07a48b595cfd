import { type ConditionUpdate, formatTime, setCondition } from '@kubewright/kube';
import type { Kausality, KausalityStatus } from '../api.ts';

type PolicyFacts = {
  readonly policy: Kausality;
  /** The API server calls the webhook for it. */
  readonly isCalled: boolean;
  /** The MutatingWebhookConfiguration that has to call it. */
  readonly configuration: string;
  /** Why the API server would reject the webhook for it: it is not called until the policy is changed. */
  readonly problem?: string;
  /** Whether drift is found below all parents that it has seen; absent: nobody counts. */
  readonly coverage?: ConditionUpdate;
  /** A problem that does not keep the policy from being effective. */
  readonly note?: string;
};

type Shown = Pick<ConditionUpdate, 'status' | 'reason' | 'message'>;

/** The status of a policy: whether it is in effect. */
export function policyStatus(facts: PolicyFacts, now: Date): KausalityStatus {
  const { policy } = facts;
  const { generation } = policy.metadata;
  const [configured, ready] = shown(facts);
  const updates: readonly ConditionUpdate[] = [
    { type: 'WebhookConfigured', ...configured },
    { type: 'Ready', ...ready },
    ...(facts.coverage === undefined ? [] : [facts.coverage]),
  ];
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const conditions = updates.reduce(
    (all, update) => setCondition(all, { ...observed, ...update }, formatTime(now)),
    policy.status?.conditions ?? [],
  );
  return { ...policy.status, conditions };
}

function shown({ policy, isCalled, configuration, note, problem }: PolicyFacts): readonly [Shown, Shown] {
  const more = note === undefined ? '' : `; ${note}`;
  if (problem !== undefined) {
    const status = 'False';
    const reason = 'InvalidPolicy';
    return [
      { status, reason, message: problem },
      { status, reason, message: `changes are not checked: ${problem}` },
    ];
  }
  if (!isCalled) {
    const status = 'False';
    const waiting = `waiting for MutatingWebhookConfiguration ${configuration}`;
    return [
      { status, reason: 'NotApplied', message: waiting },
      { status, reason: 'WebhookNotConfigured', message: `changes are not checked yet${more}` },
    ];
  }
  const status = 'True';
  const effective = `changes are checked; mode ${policy.spec.mode}${more}`;
  return [
    { status, reason: 'RulesApplied', message: 'the webhook is called for what the policy names' },
    { status, reason: 'Reconciled', message: effective },
  ];
}
