import { formatTime, setCondition } from '@kubewright/kube';
import type { Cache, Request, Steps } from '@kubewright/runtime';
import type { AnyApprovalPolicy, ApprovalPolicyStatus } from './approval-policies.ts';
import { readPolicy } from './read-policy.ts';

const LONGEST_MESSAGE = 4096;

/** Reports in the status of an approval policy whether its rules can be read. */
export function approvalPolicySteps<T extends AnyApprovalPolicy>(
  read: (cache: Cache, request: Request) => T | undefined,
): Steps<T, never, ApprovalPolicyStatus, T> {
  return {
    observe: (request, { cache }) => read(cache, request),
    decide(policy, now) {
      const { problems } = readPolicy(policy);
      const isReady = problems.length === 0;
      const reason = isReady ? 'RulesRead' : 'InvalidRules';
      const condition = {
        type: 'Ready',
        status: isReady ? 'True' : 'False',
        reason,
        message: isReady
          ? 'drift that its rules cover is approved'
          : `rules that approve nothing: ${problems.join('; ')}`.slice(0, LONGEST_MESSAGE),
        observedGeneration: policy.metadata.generation ?? 0,
      } as const;
      const before = policy.status?.conditions ?? [];
      return { reason, status: { conditions: setCondition(before, condition, formatTime(now)) } };
    },
    act: async (action) => action,
    subject: (policy) => policy,
  };
}
