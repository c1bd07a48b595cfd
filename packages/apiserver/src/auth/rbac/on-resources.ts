import { type PolicyRule, policyRule } from './policy-rule.ts';

/** A rule about resources, all in one text: `pods pods/status`. */
export function on(groups: readonly string[], resources: string, verbs: readonly string[]): PolicyRule {
  return { ...policyRule({}), apiGroups: groups, resources: resources.split(' '), verbs };
}
