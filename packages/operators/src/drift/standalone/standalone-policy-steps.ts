import { hasFinalizer, type Io, removeFinalizer, type Steps } from '@kubewright/runtime';
import { COMPONENT, KAUSALITIES, type Kausality, type KausalityStatus } from '../api.ts';
import { policyStatus } from '../policy/policy-status.ts';
import { isSameRole, POLICY_ROLES, policyRole } from './policy-role.ts';
import { isApplied, type SharedWebhook } from './shared-webhook.ts';

type Observed = {
  readonly policy: Kausality;
  readonly isCalled: boolean;
  readonly hasRole: boolean;
  readonly configuration: string;
};

type Action =
  | { readonly type: 'applyRole'; readonly role: ReturnType<typeof policyRole> }
  | { readonly type: 'release'; readonly policy: Kausality };

/** Of the original controller; ours needs none, because rules follow from the policies that are there. */
const FINALIZER = 'kausality.io/policy-controller';
const RETRY_MS = 30_000;

/** Writes the role of a policy, and reports in its status whether the webhook is called for it. */
export function standalonePolicySteps({
  configurations,
  name,
  home,
}: SharedWebhook): Steps<Observed, Action, KausalityStatus, Kausality> {
  return {
    observe(request, { cache }) {
      const policy = cache.get(KAUSALITIES, request);
      if (policy === undefined) return undefined;
      const configuration = cache.get(configurations, { name });
      const isCalled = isApplied(configuration, cache.list(KAUSALITIES), home);
      const role = policyRole(policy);
      const hasRole = isSameRole(cache.get(POLICY_ROLES, { name: role.metadata.name }), role);
      return { policy, isCalled, hasRole, configuration: name };
    },
    decide(observed, now) {
      const { policy, hasRole, isCalled } = observed;
      if (policy.metadata.deletionTimestamp !== undefined)
        return hasFinalizer(policy, FINALIZER)
          ? { reason: 'Deleting', action: { type: 'release', policy } }
          : { reason: 'Deleting' };
      const status = policyStatus(observed, now);
      if (!hasRole)
        return { reason: 'NoRole', status, action: { type: 'applyRole', role: policyRole(policy) } };
      return { reason: isCalled ? 'Ready' : 'WebhookNotConfigured', status };
    },
    act,
    subject: ({ policy }) => policy,
    // Whoever has granted the webhook its rights otherwise needs no role: the policy is effective without.
    refused: (observed, { message }, now) => ({
      reason: 'RoleRefused',
      status: policyStatus(
        { ...observed, note: `the role of the webhook cannot be written: ${message}` },
        now,
      ),
      requeueAfter: RETRY_MS,
    }),
  };
}

async function act(action: Action, io: Io): Promise<'done'> {
  const write = { fieldManager: COMPONENT };
  if (action.type === 'applyRole')
    await io.client.apply(POLICY_ROLES, action.role, { ...write, force: true });
  else await removeFinalizer(io, KAUSALITIES, action.policy, FINALIZER, write);
  return 'done';
}
