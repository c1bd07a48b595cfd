import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import type { OperatorPart, OperatorParts, PolicyRule } from './operator.ts';

/** Where an operator's manager runs. */
export type InstallOptions = {
  /** Default: `kubewright`. */
  readonly namespace?: string;
  /** The Service by which webhooks reach the manager. Default: `kubewright`. */
  readonly service?: string;
};

export const NAMESPACE = 'kubewright';

/** The account of the manager's process: its cache reads for all parts, so it has the roles of all of them. */
export const MANAGER_ACCOUNT = 'kubewright';

/** The user that requests of a service account come from. */
export function accountUser(
  account: string,
  { namespace = NAMESPACE }: InstallOptions = {},
): { readonly username: string; readonly groups: readonly string[] } {
  return {
    username: `system:serviceaccount:${namespace}:${account}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

/** What an operator needs on a cluster beside its process: its definitions, accounts, roles and webhook configurations. */
export function installObjects(operator: OperatorParts, options: InstallOptions = {}): readonly KubeObject[] {
  return [
    serviceAccount(MANAGER_ACCOUNT, options),
    ...operator.resources.map(({ definition }) => definition),
    ...operator.parts.flatMap((part) => accountObjects(part, options)),
    ...(operator.webhooks ?? []).map((configuration) => withService(configuration, options)),
  ];
}

function accountObjects(part: OperatorPart, options: InstallOptions): readonly KubeObject[] {
  const { namespace = NAMESPACE } = options;
  const { account, rules, verbsOnAnyKind } = part;
  const own = roleName(account);
  const any = roleName(account, 'any-kind');
  const role = { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: own }, rules: rules.map(json) };
  const objects = [serviceAccount(account, options), role, binding(own, account, namespace)];
  if (verbsOnAnyKind === undefined) return objects;
  const clusterRoleSelectors = [{ matchLabels: { [aggregationLabel(account)]: 'true' } }];
  const aggregated = {
    ...role,
    metadata: { name: any },
    aggregationRule: { clusterRoleSelectors },
    rules: [],
  };
  return [...objects, aggregated, binding(any, account, namespace)];
}

function serviceAccount(name: string, { namespace = NAMESPACE }: InstallOptions): KubeObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
}

/** The right to a part's `verbsOnAnyKind` on `resources` (all: `*`), to be given by an administrator. */
export function anyKindRole(
  { account, verbsOnAnyKind = [] }: OperatorPart,
  { apiGroups, resources }: Required<Pick<PolicyRule, 'apiGroups' | 'resources'>>,
): KubeObject {
  return {
    apiVersion: RBAC,
    kind: 'ClusterRole',
    metadata: { name: roleName(account, 'objects'), labels: { [aggregationLabel(account)]: 'true' } },
    rules: [{ apiGroups, resources, verbs: verbsOnAnyKind }],
  };
}

const RBAC = 'rbac.authorization.k8s.io/v1';

function roleName(account: string, part?: string): string {
  return ['kubewright', account, ...(part === undefined ? [] : [part])].join(':');
}

function aggregationLabel(account: string): string {
  return `kubewright.io/aggregate-to-${account}`;
}

function binding(role: string, account: string, namespace: string): KubeObject {
  return {
    apiVersion: RBAC,
    kind: 'ClusterRoleBinding',
    metadata: { name: role },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [account, MANAGER_ACCOUNT].map((name) => ({ kind: 'ServiceAccount', name, namespace })),
  };
}

/** A rule as JSON: without what it does not say. */
function json(rule: PolicyRule): JsonObject {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined));
}

function withService(
  configuration: KubeObject,
  { namespace = NAMESPACE, service = NAMESPACE }: InstallOptions,
): KubeObject {
  const webhooks = (configuration['webhooks'] as readonly JsonObject[] | undefined) ?? [];
  return { ...configuration, webhooks: webhooks.map((webhook) => reached(webhook, namespace, service)) };
}

function reached(webhook: JsonObject, namespace: string, name: string): Json {
  const config = (webhook['clientConfig'] ?? {}) as JsonObject;
  const service = { ...((config['service'] ?? {}) as JsonObject), namespace, name };
  return { ...webhook, clientConfig: { ...config, service } };
}
