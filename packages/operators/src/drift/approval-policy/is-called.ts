import { ApiError, type Client } from '@kubewright/client';
import { CLUSTER_APPROVAL_POLICIES } from './approval-policies.ts';

/** Nothing but the webhook knows that this is no expression. */
const UNREADABLE = { match: { cel: '(' } };

/**
 * Whether the API server reaches the operator: by the dry run of a policy that only the webhook rejects. Another answer
 * than these two is an error.
 */
export async function isCalled(client: Client): Promise<boolean> {
  const { group, version, kind } = CLUSTER_APPROVAL_POLICIES;
  const policy = { apiVersion: `${group}/${version}`, kind, spec: { rules: [UNREADABLE] } };
  const metadata = { generateName: 'is-drift-called-' };
  try {
    await client.create(CLUSTER_APPROVAL_POLICIES, { ...policy, metadata }, { dryRun: true });
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.code === 422 && error.message.includes('match.cel')) return true;
    throw error;
  }
}
