import type { Stored } from '@kubewright/kube';
import { bodyOf, objectAt, objectsAt, stringAt } from '../../objects/read.ts';
import type { UserInfo } from '../../request/user-info.ts';
import { namespaceOf } from '../../objects/name-of.ts';

/** Who a binding is for. `key` is what {@link subjectKeys} finds it by. */
type Subject = { readonly key: string; readonly shown: string };

/** A RoleBinding (of a namespace) or ClusterRoleBinding (namespace is empty). */
export type Binding = {
  readonly name: string;
  readonly namespace: string;
  readonly roleKind: string;
  readonly roleName: string;
  readonly subjects: readonly Subject[];
};

export function bindingOf(object: Stored): Binding {
  const { name } = object.metadata;
  const namespace = namespaceOf(object);
  const role = objectAt(bodyOf(object), 'roleRef');
  return {
    name,
    namespace,
    roleKind: stringAt(role, 'kind'),
    roleName: stringAt(role, 'name'),
    subjects: objectsAt(bodyOf(object), 'subjects').flatMap((subject): Subject[] => {
      const kind = stringAt(subject, 'kind');
      const who = stringAt(subject, 'name');
      if (kind === 'User' || kind === 'Group') return [{ key: `${kind}:${who}`, shown: `${kind} "${who}"` }];
      const home = stringAt(subject, 'namespace') || namespace;
      if (kind !== 'ServiceAccount' || home === '') return [];
      return [{ key: `User:system:serviceaccount:${home}:${who}`, shown: `${kind} "${who}/${home}"` }];
    }),
  };
}

/** The keys of every subject that is this user: a service account is one by its user name. */
export function subjectKeys({ username, groups }: UserInfo): readonly string[] {
  return [`User:${username}`, ...groups.map((group) => `Group:${group}`)];
}

/** How a decision names the binding by which it was taken. */
export function describeBinding(binding: Binding, keys: readonly string[]): string {
  const { name, namespace, roleKind, roleName } = binding;
  const subject = binding.subjects.find(({ key }) => keys.includes(key))?.shown ?? '';
  const what = namespace === '' ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
  return `${what} of ${roleKind} "${roleName}" to ${subject}`;
}
