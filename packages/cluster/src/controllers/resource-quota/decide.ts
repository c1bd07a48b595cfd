import { type Amounts, amountsAsJson, amountsIn, amountsOf, sameAmounts } from '@kubewright/apiserver';
import type { corev1, Stored } from '@kubewright/kube';

/**
 * The status of a quota of which `counted` has been counted; undefined where it has it. What could not be counted stays
 * as it was.
 */
export function decide(
  quota: Stored<corev1.ResourceQuota>,
  counted: Amounts,
): corev1.ResourceQuotaStatus | undefined {
  const hard = limitsOf(quota);
  const { hard: oldHard = {}, used: oldUsed = {} } = quota.status ?? {};
  const before = amountsIn(oldUsed);
  const used = amountsOf(new Map([...before, ...counted]), hard.keys());
  if (sameAmounts(hard, amountsIn(oldHard)) && sameAmounts(used, before)) return undefined;
  return { hard: amountsAsJson(hard), used: amountsAsJson(used) } as corev1.ResourceQuotaStatus;
}

/** What a quota limits, and to how much. */
export function limitsOf({ spec }: Stored<corev1.ResourceQuota>): Amounts {
  return amountsIn(spec?.hard ?? {});
}
