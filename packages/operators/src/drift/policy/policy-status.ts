import { type ConditionUpdate, formatTime, setCondition } from '@kubewright/kube';
import type { Kausality, KausalityStatus } from '../api.ts';

type PolicyFacts = {
  readonly policy: Kausality;
  /** The API server calls the webhook for it. */
  readonly isCalled: boolean;
  /** The MutatingWebhookConfiguration that has to call it. */
  readonly configuration: string;
  /** A problem that does not keep the policy from being effective. */
  readonly note?: string;
};

/** The status of a policy: whether it is in effect. */
export function policyStatus(facts: PolicyFacts, now: Date): KausalityStatus {
  const { policy, isCalled, configuration, note } = facts;
  const status = isCalled ? 'True' : 'False';
  const { generation } = policy.metadata;
  const more = note === undefined ? '' : `; ${note}`;
  const updates: readonly ConditionUpdate[] = [
    {
      type: 'WebhookConfigured',
      status,
      reason: isCalled ? 'RulesApplied' : 'NotApplied',
      message: isCalled
        ? 'the webhook is called for what the policy names'
        : `waiting for MutatingWebhookConfiguration ${configuration}`,
    },
    {
      type: 'Ready',
      status,
      reason: isCalled ? 'Reconciled' : 'WebhookNotConfigured',
      message: isCalled
        ? `changes are checked; mode ${policy.spec.mode}${more}`
        : `changes are not checked yet${more}`,
    },
  ];
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const conditions = updates.reduce(
    (all, update) => setCondition(all, { ...observed, ...update }, formatTime(now)),
    policy.status?.conditions ?? [],
  );
  return { conditions };
}
