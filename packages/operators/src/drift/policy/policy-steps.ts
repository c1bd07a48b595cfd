import { type ConditionUpdate, formatTime, setCondition } from '@kubewright/kube';
import type { Steps } from '@kubewright/runtime';
import { KAUSALITIES, type Kausality, type KausalityStatus } from '../api.ts';
import { CONFIGURATIONS } from './configurations.ts';
import { CONFIGURATION, webhookEntries, hasEntries } from './webhook-entries.ts';

type Observed = { readonly policy: Kausality; readonly isCalled: boolean };

/** Reports in a policy's status whether the API server calls the webhook for it. */
export const policySteps: Steps<Observed, never, KausalityStatus, Kausality> = {
  observe(request, { cache }) {
    const policy = cache.get(KAUSALITIES, request);
    if (policy === undefined || policy.metadata.deletionTimestamp !== undefined) return undefined;
    const configuration = cache.get(CONFIGURATIONS, { name: CONFIGURATION });
    const entries = configuration && webhookEntries(cache.list(KAUSALITIES), configuration);
    const isCalled =
      configuration !== undefined && entries !== undefined && hasEntries(configuration, entries);
    return { policy, isCalled };
  },
  decide({ policy, isCalled }, now) {
    const status = isCalled ? 'True' : 'False';
    const { generation } = policy.metadata;
    const updates: readonly ConditionUpdate[] = [
      {
        type: 'WebhookConfigured',
        status,
        reason: isCalled ? 'RulesApplied' : 'NotApplied',
        message: isCalled
          ? 'the webhook is called for what the policy names'
          : `waiting for MutatingWebhookConfiguration ${CONFIGURATION}`,
      },
      {
        type: 'Ready',
        status,
        reason: isCalled ? 'Reconciled' : 'WebhookNotConfigured',
        message: isCalled ? `changes are checked; mode ${policy.spec.mode}` : 'changes are not checked yet',
      },
    ];
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const conditions = updates.reduce(
      (all, update) => setCondition(all, { ...observed, ...update }, formatTime(now)),
      policy.status?.conditions ?? [],
    );
    return { reason: isCalled ? 'Ready' : 'WebhookNotConfigured', status: { conditions } };
  },
  act: async (action) => action,
  subject: ({ policy }) => policy,
};
