import { defined } from '@kubewright/kube';
import type { Steps } from '@kubewright/runtime';
import { KAUSALITIES, type Kausality, type KausalityStatus } from '../api.ts';
import { coverageCondition } from '../learning/coverage-condition.ts';
import { nextLearned } from '../learning/next-learned.ts';
import { CONFIGURATIONS } from './configurations.ts';
import { policyStatus } from './policy-status.ts';
import { CONFIGURATION, hasEntries, homeOf, problemOf, webhookEntries } from './webhook-entries.ts';

type Observed = { readonly policy: Kausality; readonly isCalled: boolean; readonly problem?: string };

/** Reports in a policy's status whether the API server calls the webhook for it. */
export const policySteps: Steps<Observed, never, KausalityStatus, Kausality> = {
  observe(request, { cache }) {
    const policy = cache.get(KAUSALITIES, request);
    if (policy === undefined || policy.metadata.deletionTimestamp !== undefined) return undefined;
    const configuration = cache.get(CONFIGURATIONS, { name: CONFIGURATION });
    const entries = configuration && webhookEntries(cache.list(KAUSALITIES), configuration);
    const problem = problemOf(policy, homeOf(configuration));
    const isCalled =
      problem === undefined &&
      configuration !== undefined &&
      entries !== undefined &&
      hasEntries(configuration, entries);
    return { policy, isCalled, ...defined({ problem }) };
  },
  decide(observed, now) {
    const coverage = coverageCondition(observed.policy, now);
    const status = policyStatus({ ...observed, coverage, configuration: CONFIGURATION }, now);
    const again = defined({ requeueAfter: nextLearned(observed.policy, now) });
    if (observed.problem !== undefined) return { reason: 'InvalidPolicy', status, ...again };
    return { reason: observed.isCalled ? 'Ready' : 'WebhookNotConfigured', status, ...again };
  },
  act: async (action) => action,
  subject: ({ policy }) => policy,
};
