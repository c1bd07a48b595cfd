import { compareText } from '@kubewright/kube';
import type { Cache } from '@kubewright/runtime';
import { APPROVAL_POLICIES, type AnyApprovalPolicy, CLUSTER_APPROVAL_POLICIES } from './approval-policies.ts';
import { type ApprovalRule, readPolicy } from './read-policy.ts';

/** The rules of approval policies. */
export type ApprovalRules = {
  /** Resolves when {@link ApprovalRules.list} has them; undefined: it has. */
  ready(signal: AbortSignal): Promise<unknown> | undefined;
  /** Those for the objects of a namespace: its own first, then those of the cluster, by name. */
  list(namespace: string): readonly ApprovalRule[];
};

export function approvalRules(cache: Cache): ApprovalRules {
  const informers = [cache.informer(APPROVAL_POLICIES), cache.informer(CLUSTER_APPROVAL_POLICIES)];
  return {
    ready(signal) {
      const unsynced = informers.filter(({ synced }) => !synced);
      const waiting = unsynced.map((informer) => informer.waitForSync(signal));
      return waiting.length === 0 ? undefined : Promise.all(waiting);
    },
    list: (namespace) =>
      [
        namespace === '' ? [] : cache.list(APPROVAL_POLICIES, { namespace }),
        cache.list(CLUSTER_APPROVAL_POLICIES),
      ].flatMap((policies) =>
        (policies as readonly AnyApprovalPolicy[])
          .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
          .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))
          .flatMap((policy) => readPolicy(policy).rules),
      ),
  };
}
