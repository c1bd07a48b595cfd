import type { Store } from '../../storage/store.ts';
import { objectKey } from '../../storage/stored-object.ts';
import type { UserInfo } from '../../request/user-info.ts';
import type { Binding } from './binding.ts';
import { bindingIndex } from './binding-index.ts';
import { type PolicyRule, rulesOf } from './policy-rule.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** The role of a binding. */
type RoleReference = Pick<Binding, 'roleKind' | 'roleName' | 'namespace'>;

/** Finds the rules that count for a user. */
export type RuleResolver = {
  /** The rules of a role; undefined when there is no such role. */
  readonly rulesOfRole: (role: RoleReference) => readonly PolicyRule[] | undefined;
  /** Bindings of the cluster and, unless `namespace` is empty, of the namespace that are for the user. */
  readonly bindingsOf: (user: UserInfo, namespace: string) => readonly Binding[];
};

export function ruleResolver(store: Store): RuleResolver {
  const collection = (resource: string): ReturnType<Store['collection']> =>
    store.collection(RBAC_GROUP, resource);
  const index = bindingIndex([collection('clusterrolebindings'), collection('rolebindings')]);
  const roles = collection('roles');
  const clusterRoles = collection('clusterroles');
  return {
    rulesOfRole({ roleKind, roleName, namespace }) {
      const stored =
        roleKind === 'Role' ? roles.get(objectKey(namespace, roleName)) : clusterRoles.get(roleName);
      return stored === undefined ? undefined : rulesOf(stored.object);
    },
    bindingsOf(user, namespace) {
      const everywhere = index.of(user, '');
      return namespace === '' ? everywhere : [...everywhere, ...index.of(user, namespace)];
    },
  };
}

/** All rules that count for a user in a namespace, and the bindings whose role is missing. */
export function rulesFor(
  resolver: RuleResolver,
  user: UserInfo,
  namespace: string,
): { readonly rules: readonly PolicyRule[]; readonly dangling: readonly Binding[] } {
  const dangling: Binding[] = [];
  const rules = resolver.bindingsOf(user, namespace).flatMap((binding) => {
    const found = resolver.rulesOfRole(binding);
    if (found === undefined) dangling.push(binding);
    return found ?? [];
  });
  return { rules, dangling };
}
