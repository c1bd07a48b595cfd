import { isConditionTrue, getCondition } from '@kubewright/kube';
import type { Kausality } from '../../api.ts';
import type { Finding } from '../../../kit/report-findings.ts';

/** Whether there are policies, and each is in effect. */
export function checkPolicies(policies: readonly Kausality[]): readonly Omit<Finding, 'check'>[] {
  if (policies.length === 0)
    return [
      {
        status: 'warning',
        what: 'there is no policy: nothing is checked',
        fix: 'kubectl apply a Kausality with mode log, see docs/drift.md',
      },
    ];
  return policies.map(({ metadata: { name }, status }) => {
    const conditions = status?.conditions;
    if (isConditionTrue(conditions, 'Ready')) return { status: 'ok', what: `policy ${name} is in effect` };
    const { message = 'the operator has not seen it' } = getCondition(conditions, 'Ready') ?? {};
    return {
      status: 'failed',
      what: `policy ${name} is not in effect: ${message}`,
      fix: 'is the operator running? kubectl logs shows why not',
    };
  });
}
