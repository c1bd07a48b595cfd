import { apiVersionOf, isJsonArray, jsonEqual, type KubeObject, rbacv1 } from '@kubewright/kube';
import { partOf } from '@kubewright/runtime';
import { KAUSALITIES, type Kausality } from '../api.ts';
import { resourcesByGroup } from './webhook-rules.ts';

const POLICY = 'kausality.io/policy';

/** Only the roles of policies are cached. */
export const POLICY_ROLES = partOf(rbacv1.clusterroles, 'kausality', { labelSelector: POLICY });

/** The policy of a role. */
export function policyOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[POLICY];
}

/** The ClusterRole with which the webhook may read, and annotate, what a policy names; aggregated by its label. */
export function policyRole(policy: Kausality) {
  const { name, uid } = policy.metadata;
  const { kind } = KAUSALITIES;
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `kausality-policy-${name}`,
      labels: {
        'app.kubernetes.io/managed-by': 'kausality',
        'kausality.io/aggregate-to-webhook-resources': 'true',
        [POLICY]: name,
      },
      ownerReferences: [{ apiVersion: apiVersionOf(KAUSALITIES), kind, name, uid }],
    },
    rules: resourcesByGroup([policy]).flatMap(([apiGroup, resources]) => [
      { apiGroups: [apiGroup], resources, verbs: ['get', 'list', 'watch'] },
      // By the status subresource, annotations of a Deployment change without raising its generation.
      { apiGroups: [apiGroup], resources: withStatus(resources), verbs: ['update', 'patch'] },
    ]),
  } as const;
}

/** `*` includes subresources. */
function withStatus(resources: readonly string[]): readonly string[] {
  return resources.includes('*') ? resources : resources.flatMap((name) => [name, `${name}/status`]);
}

/** Whether the role on the server is the wanted one; labels and owners of others are left alone. */
export function isSameRole(live: KubeObject | undefined, wanted: ReturnType<typeof policyRole>): boolean {
  if (live === undefined) return false;
  const { labels = {}, ownerReferences = [] } = live.metadata;
  const isLabelled = Object.entries(wanted.metadata.labels).every(([key, value]) => labels[key] === value);
  const isOwned = ownerReferences.some(({ uid }) => uid === wanted.metadata.ownerReferences[0]?.uid);
  const rules = live['rules'];
  return isLabelled && isOwned && isJsonArray(rules) && jsonEqual(rules, wanted.rules);
}
