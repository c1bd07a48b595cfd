import type { Steps } from '@kubewright/runtime';
import { KAUSALITIES, type Kausality, type KausalityStatus } from '../api.ts';
import { CONFIGURATIONS } from './configurations.ts';
import { policyStatus } from './policy-status.ts';
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
  decide(observed, now) {
    const status = policyStatus({ ...observed, configuration: CONFIGURATION }, now);
    return { reason: observed.isCalled ? 'Ready' : 'WebhookNotConfigured', status };
  },
  act: async (action) => action,
  subject: ({ policy }) => policy,
};
