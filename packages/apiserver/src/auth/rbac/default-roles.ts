import type { JsonObject } from '@kubewright/kube';
import type { Registry } from '../../registry/registry.ts';
import { MASTERS } from '../authorizer.ts';
import { CONTROLLER_MANAGER_ROLE, CONTROLLER_ROLES } from './controller-roles.ts';
import { on, type PolicyRule, policyRule, ruleObject } from './policy-rule.ts';
import { RBAC_GROUP } from './rule-resolver.ts';
import { SCHEDULER_ROLES } from './scheduler-roles.ts';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const BOTH = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const AUTHENTICATED = 'system:authenticated';
const INFO = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const DISCOVERY = ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi', '/openapi/*'];
const ISSUER = ['/.well-known/openid-configuration', '/openid/v1/jwks'].flatMap((path) => [path, `${path}/`]);
const MONITORING = ['/flagz', '/healthz', '/healthz/*', '/livez', '/livez/*', '/metrics', '/metrics/slis'];

function urls(nonResourceURLs: readonly string[], verbs: readonly string[] = ['get']): PolicyRule {
  return { ...policyRule({}), nonResourceURLs, verbs };
}

const VIEW = [
  on(
    [''],
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    READ,
  ),
  on(
    [''],
    'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    READ,
  ),
  on([''], 'namespaces', READ),
  on(['', 'events.k8s.io'], 'events', READ),
  on(['discovery.k8s.io'], 'endpointslices', READ),
  on(
    ['apps'],
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
    READ,
  ),
  on(['autoscaling'], 'horizontalpodautoscalers horizontalpodautoscalers/status', READ),
  on(['batch'], 'cronjobs cronjobs/status jobs jobs/status', READ),
  on(['policy'], 'poddisruptionbudgets poddisruptionbudgets/status', READ),
  on(['networking.k8s.io'], 'ingresses ingresses/status networkpolicies', READ),
  on(['resource.k8s.io'], 'resourceclaims resourceclaims/status resourceclaimtemplates', READ),
];

const EDIT = [
  on([''], 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy', READ),
  on([''], 'serviceaccounts', ['impersonate']),
  on([''], 'pods pods/attach pods/exec pods/portforward pods/proxy', WRITE),
  on([''], 'pods/eviction', ['create']),
  on(
    [''],
    'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    WRITE,
  ),
  on([''], 'serviceaccounts/token', ['create']),
  on(['', 'events.k8s.io'], 'events', WRITE),
  on(
    ['apps'],
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
    WRITE,
  ),
  on(['autoscaling'], 'horizontalpodautoscalers', WRITE),
  on(['batch'], 'cronjobs jobs', WRITE),
  on(['policy'], 'poddisruptionbudgets', WRITE),
  on(['networking.k8s.io'], 'ingresses networkpolicies', WRITE),
  on(['coordination.k8s.io'], 'leases', BOTH),
  on(['resource.k8s.io'], 'resourceclaims resourceclaimtemplates', WRITE),
];

const ADMIN = [
  on(['authorization.k8s.io'], 'localsubjectaccessreviews', ['create']),
  on([RBAC_GROUP], 'rolebindings roles', BOTH),
];

/** Roles that do not depend on what is served. */
const FIXED: Readonly<Record<string, readonly PolicyRule[]>> = {
  'cluster-admin': [on(['*'], '*', ['*']), urls(['*'], ['*'])],
  'system:discovery': [urls([...DISCOVERY, '/readyz', '/version', '/version/'])],
  'system:monitoring': [
    urls([...MONITORING, '/readyz', '/readyz/*', '/statusz']),
    on([''], 'nodes/metrics', ['get']),
  ],
  'system:basic-user': [
    on(['authorization.k8s.io'], 'selfsubjectaccessreviews selfsubjectrulesreviews', ['create']),
    on(['authentication.k8s.io'], 'selfsubjectreviews', ['create']),
  ],
  'system:auth-delegator': [
    on(['authentication.k8s.io'], 'tokenreviews', ['create']),
    on(['authorization.k8s.io'], 'subjectaccessreviews', ['create']),
  ],
  'system:public-info-viewer': [urls(INFO)],
  'system:service-account-issuer-discovery': [urls(ISSUER)],
};

/** By which extension servers find out whom they may trust. */
const AUTHENTICATION_READER: readonly PolicyRule[] = [
  { ...on([''], 'configmaps', READ), resourceNames: ['extension-apiserver-authentication'] },
];

/** What a kubelet may do: facts of `bootstrappolicy` of Kubernetes 1.36, for what is served. */
const NODE = [
  on(['authentication.k8s.io'], 'tokenreviews', ['create']),
  on(['authorization.k8s.io'], 'localsubjectaccessreviews subjectaccessreviews', ['create']),
  on([''], 'services', READ),
  on([''], 'nodes', ['create', 'get', 'list', 'watch']),
  on([''], 'nodes nodes/status', ['patch', 'update']),
  on(['', 'events.k8s.io'], 'events', ['create', 'patch', 'update']),
  on([''], 'pods', READ),
  on([''], 'pods', ['create', 'delete']),
  on([''], 'pods/status', ['patch', 'update']),
  on([''], 'pods/eviction', ['create']),
  on([''], 'configmaps secrets', READ),
  on([''], 'endpoints persistentvolumeclaims persistentvolumes serviceaccounts', ['get']),
  on([''], 'persistentvolumeclaims/status', ['get', 'patch', 'update']),
  on([''], 'serviceaccounts/token', ['create']),
  on(['coordination.k8s.io'], 'leases', ['create', 'delete', 'get', 'patch', 'update']),
  on(['storage.k8s.io'], 'volumeattachments', ['get']),
  on(['storage.k8s.io'], 'csidrivers', READ),
  on(['storage.k8s.io'], 'csinodes', ['create', 'delete', 'get', 'patch', 'update']),
  on(['node.k8s.io'], 'runtimeclasses', READ),
];

const BINDINGS: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': [MASTERS],
  'system:monitoring': ['system:monitoring'],
  'system:discovery': [AUTHENTICATED],
  'system:basic-user': [AUTHENTICATED],
  'system:public-info-viewer': [AUTHENTICATED, 'system:unauthenticated'],
  'system:service-account-issuer-discovery': ['system:serviceaccounts'],
  // There it has no subjects: the node authorizer decides what each node may access. Here RBAC decides for all nodes.
  'system:node': ['system:nodes'],
};

const AGGREGATE = `${RBAC_GROUP}/aggregate-to-`;

/** Parts of a cluster that act as a user of their own name. */
const USERS: Readonly<Record<string, readonly PolicyRule[]>> = {
  'system:kube-controller-manager': CONTROLLER_MANAGER_ROLE,
};

/** The roles and bindings that every cluster has; of admin, edit and view the rules for what is served. */
export function defaultRoles(registry: Registry): readonly JsonObject[] {
  const served = (rules: readonly PolicyRule[]): readonly PolicyRule[] => onlyServed(rules, registry);
  return [
    ...Object.entries(FIXED).map(([name, rules]) => role(name, {}, { rules: rules.map(ruleObject) })),
    reader('extension-apiserver-authentication-reader', AUTHENTICATION_READER),
    role('system:node', {}, { rules: served(NODE).map(ruleObject) }),
    aggregated('admin'),
    aggregated('edit', 'admin'),
    aggregated('view', 'edit'),
    part('admin', served(ADMIN)),
    part('edit', served(EDIT)),
    part('view', served(VIEW)),
    ...Object.entries(BINDINGS).map(([name, groups]) => binding(name, groups.map(groupSubject))),
    ...Object.entries(USERS).flatMap(([name, rules]) => [
      role(name, {}, { rules: rules.map(ruleObject) }),
      binding(name, [{ apiGroup: RBAC_GROUP, kind: 'User', name }]),
    ]),
    ...Object.entries(CONTROLLER_ROLES).flatMap(([account, rules]) => {
      const name = `system:controller:${account}`;
      const subject = { kind: 'ServiceAccount', name: account, namespace: 'kube-system' };
      return [role(name, {}, { rules: rules.map(ruleObject) }), binding(name, [subject])];
    }),
    ...Object.entries(SCHEDULER_ROLES).flatMap(([name, rules]) => {
      const subject = { apiGroup: RBAC_GROUP, kind: 'User', name: 'system:kube-scheduler' };
      return [role(name, {}, { rules: rules.map(ruleObject) }), binding(name, [subject])];
    }),
  ];
}

function groupSubject(name: string): JsonObject {
  return { apiGroup: RBAC_GROUP, kind: 'Group', name };
}

function onlyServed(rules: readonly PolicyRule[], registry: Registry): readonly PolicyRule[] {
  return rules.flatMap((rule) => {
    const apiGroups = rule.apiGroups.filter((group) =>
      rule.resources.some((resource) => serves(registry, group, resource)),
    );
    const resources = rule.resources.filter((resource) =>
      apiGroups.some((group) => serves(registry, group, resource)),
    );
    return resources.length === 0 ? [] : [{ ...rule, apiGroups, resources }];
  });
}

function serves(registry: Registry, group: string, resource: string): boolean {
  return registry.versions(group, resource.split('/', 1)[0] ?? '').length > 0;
}

function aggregated(name: string, into?: string): JsonObject {
  const labels = into === undefined ? {} : { [`${AGGREGATE}${into}`]: 'true' };
  const selector = { matchLabels: { [`${AGGREGATE}${name}`]: 'true' } };
  return role(name, labels, { aggregationRule: { clusterRoleSelectors: [selector] }, rules: null });
}

function part(of: string, rules: readonly PolicyRule[]): JsonObject {
  const labels = { [`${AGGREGATE}${of}`]: 'true' };
  return role(`system:aggregate-to-${of}`, labels, { rules: rules.map(ruleObject) });
}

function role(name: string, labels: Readonly<Record<string, string>>, body: JsonObject): JsonObject {
  return { ...head('ClusterRole', name, labels), ...body };
}

/** A Role in `kube-system`. */
function reader(name: string, rules: readonly PolicyRule[]): JsonObject {
  const { metadata, ...rest } = head('Role', name, {});
  return {
    ...rest,
    metadata: { ...(metadata as JsonObject), namespace: 'kube-system' },
    rules: rules.map(ruleObject),
  };
}

function binding(name: string, subjects: readonly JsonObject[]): JsonObject {
  return {
    ...head('ClusterRoleBinding', name, {}),
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name },
    subjects,
  };
}

function head(kind: string, name: string, labels: Readonly<Record<string, string>>): JsonObject {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind,
    metadata: {
      name,
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
  };
}
