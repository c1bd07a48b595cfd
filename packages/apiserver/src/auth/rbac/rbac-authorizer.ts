import { type Authorizer, type Decision, MASTERS } from '../authorizer.ts';
import { type Binding, describeBinding, subjectKeys } from './binding.ts';
import { ruleAllows } from './rule-allows.ts';
import { RBAC_GROUP, type RuleResolver } from './rule-resolver.ts';

const OF_MASTERS: Decision = { allowed: true, reason: '' };
const NO: Decision = { allowed: false, reason: '' };

/**
 * Decides by the roles in the store, with the reasons of kube-apiserver's RBAC authorizer.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export function rbacAuthorizer(resolver: RuleResolver): Authorizer {
  return ({ user, info }) => {
    if (user.groups.includes(MASTERS)) return OF_MASTERS;
    const dangling: Binding[] = [];
    for (const binding of resolver.bindingsOf(user, info.resource?.namespace ?? '')) {
      const rules = resolver.rulesOfRole(binding);
      if (rules === undefined) dangling.push(binding);
      if (rules?.some((rule) => ruleAllows(rule, info)) !== true) continue;
      return { allowed: true, reason: `RBAC: allowed by ${describeBinding(binding, subjectKeys(user))}` };
    }
    return dangling.length === 0 ? NO : { allowed: false, reason: `RBAC: ${missingRoles(dangling)}` };
  };
}

/** Roles that bindings refer to and that do not exist. */
export function missingRoles(bindings: readonly Binding[]): string {
  return aggregate(
    bindings.map(
      ({ roleKind, roleName }) => `${roleKind.toLowerCase()}.${RBAC_GROUP} "${roleName}" not found`,
    ),
  );
}

/** Several errors as one, without duplicates. */
export function aggregate(texts: readonly string[]): string {
  const once = [...new Set(texts)];
  return once.length === 1 ? (once[0] ?? '') : `[${once.join(', ')}]`;
}
