import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { OperatorPart, OperatorParts, PolicyRule } from './operator.ts';

/** Where operators are installed. */
export type InstallOptions = {
  /** The namespace of the manager and the service accounts. Default: `kubewright`. */
  readonly namespace?: string;
};

export const NAMESPACE = 'kubewright';

/**
 * The name of the manager's Deployment, Service and Lease, and of the account of its process: its cache reads for all
 * parts, and where it is installed by manifests all parts call as it. So it has the roles of all of them.
 */
export const MANAGER = 'kubewright';

/** An annotation of that Lease: the operators that its holder runs, separated by commas. */
export const LEASE_OPERATORS = 'kubewright.io/operators';

/** Another: the version of its holder. */
export const LEASE_VERSION = 'kubewright.io/version';

/** The field manager of everything that is installed. */
export const FIELD_MANAGER = 'kubewright';

/** The user name and groups of a service account. */
export function accountUser(
  account: string,
  { namespace = NAMESPACE }: InstallOptions = {},
): { readonly username: string; readonly groups: readonly string[] } {
  return {
    username: `system:serviceaccount:${namespace}:${account}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

/** Namespace, CustomResourceDefinitions, service accounts and roles of operators, in the order to apply them. */
export function installObjects(
  operators: readonly OperatorParts[],
  options: InstallOptions = {},
): readonly KubeObject[] {
  const { namespace = NAMESPACE } = options;
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ...operators.flatMap(({ resources }) => resources.map(({ definition }) => definition)),
    serviceAccount(MANAGER, namespace),
    ...operators.flatMap(({ parts }) => parts.flatMap((part) => accountObjects(part, namespace))),
  ];
}

function accountObjects(
  { account, rules, verbsOnAnyKind, delegatesAuth }: OperatorPart,
  namespace: string,
): readonly KubeObject[] {
  const [own, any] = [roleName(account), roleName(account, 'any-kind')];
  const subjects = [account, MANAGER];
  const objects = [
    serviceAccount(account, namespace),
    role(own, rules),
    binding(own, subjects, namespace),
    ...(delegatesAuth === true ? delegation(account, namespace) : []),
  ];
  if (verbsOnAnyKind === undefined) return objects;
  const clusterRoleSelectors = [{ matchLabels: { [aggregationLabel(account)]: 'true' } }];
  // Its rules are the aggregation controller's: to apply an empty list again would conflict with it.
  const { rules: _controller, ...named } = role(any, []);
  const aggregated = { ...named, aggregationRule: { clusterRoleSelectors } };
  return [...objects, aggregated, binding(any, subjects, namespace)];
}

/** What every server behind an APIService needs, as Kubernetes has it: reviews, and the authorities of front proxies. */
function delegation(account: string, namespace: string): readonly KubeObject[] {
  const accounts = [account, MANAGER];
  const bound = (name: string): string => `${name}:${roleName(account)}`;
  const reviews = binding('system:auth-delegator', accounts, namespace);
  const reader = binding('extension-apiserver-authentication-reader', accounts, namespace, 'Role');
  return [
    { ...reviews, metadata: { name: bound('auth-delegator') } },
    { ...reader, metadata: { name: bound('auth-reader'), namespace: 'kube-system' } },
  ];
}

function serviceAccount(name: string, namespace: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
}

/** Grants the parts' `verbsOnAnyKind` on these resources (`*` for all). An administrator applies them. */
export function anyKindRoles(
  operators: readonly OperatorParts[],
  ...kinds: readonly Required<Pick<PolicyRule, 'apiGroups' | 'resources'>>[]
): readonly KubeObject[] {
  return operators
    .flatMap(({ parts }) => parts)
    .flatMap(({ account, verbsOnAnyKind: verbs }) => {
      if (verbs === undefined) return [];
      const { metadata, ...rest } = role(
        roleName(account, 'objects'),
        kinds.map((which) => ({ ...which, verbs })),
      );
      return [{ ...rest, metadata: { ...metadata, labels: { [aggregationLabel(account)]: 'true' } } }];
    });
}

const RBAC = 'rbac.authorization.k8s.io/v1';

function roleName(account: string, part?: string): string {
  return ['kubewright', account, ...(part === undefined ? [] : [part])].join(':');
}

function aggregationLabel(account: string): string {
  return `kubewright.io/aggregate-to-${account}`;
}

/** A ClusterRole, or a Role in `namespace`. */
export function role(name: string, rules: readonly PolicyRule[], namespace?: string): KubeObject {
  const [kind, metadata] =
    namespace === undefined ? ['ClusterRole', { name }] : ['Role', { name, namespace }];
  return { apiVersion: RBAC, kind, metadata, rules: rules.map(json) };
}

/** Binds a role of the same name to service accounts of `namespace`: a Role in that namespace, or a ClusterRole. */
export function binding(
  name: string,
  accounts: readonly string[],
  namespace: string,
  kind: 'ClusterRole' | 'Role' = 'ClusterRole',
): KubeObject {
  return {
    apiVersion: RBAC,
    kind: `${kind}Binding`,
    metadata: kind === 'Role' ? { name, namespace } : { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: accounts.map((account) => ({ kind: 'ServiceAccount', name: account, namespace })),
  };
}

/** A rule as JSON, without empty fields. */
function json(rule: PolicyRule): JsonObject {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined));
}
