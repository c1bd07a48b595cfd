import type { JsonObject, KubeObject } from '@kubewright/kube';
import { bodyOf, objectsAt, stringsAt } from '../../objects/read.ts';

/** One rule of a role; absent lists are empty. */
export type PolicyRule = {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
};

const rulesOfObject = new WeakMap<KubeObject, readonly PolicyRule[]>();

/** The rules of a Role or ClusterRole; read once per stored object, which never changes. */
export function rulesOf(role: KubeObject): readonly PolicyRule[] {
  let rules = rulesOfObject.get(role);
  if (rules === undefined) {
    rules = objectsAt(bodyOf(role), 'rules').map(policyRule);
    rulesOfObject.set(role, rules);
  }
  return rules;
}

export function policyRule(rule: JsonObject): PolicyRule {
  return {
    verbs: stringsAt(rule, 'verbs'),
    apiGroups: stringsAt(rule, 'apiGroups'),
    resources: stringsAt(rule, 'resources'),
    resourceNames: stringsAt(rule, 'resourceNames'),
    nonResourceURLs: stringsAt(rule, 'nonResourceURLs'),
  };
}

/** The rule as the API shows it: without its empty lists. */
export function ruleObject(rule: PolicyRule): JsonObject {
  const filled = Object.entries(rule).filter(([, values]) => values.length > 0);
  return Object.fromEntries(filled);
}

/** A rule about resources, all in one text: `pods pods/status`. */
export function on(groups: readonly string[], resources: string, verbs: readonly string[]): PolicyRule {
  return { ...policyRule({}), apiGroups: groups, resources: resources.split(' '), verbs };
}
