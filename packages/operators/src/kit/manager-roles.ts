import type { KubeObject } from '@kubewright/kube';
import { binding, type InstallOptions, MANAGER, NAMESPACE, role } from './install-objects.ts';
import type { OperatorParts, PolicyRule } from './operator.ts';
import { configurationResource, webhookConfigurationRefs } from './webhook-configurations.ts';

/** The Secret in which the manager's replicas share the certificates of their webhook server. */
export const CERTIFICATES = 'kubewright-webhook-certificates';

/**
 * The roles of the manager itself, besides those of its parts: it updates CustomResourceDefinitions, competes for its
 * Lease, and keeps the certificates of its webhooks.
 */
export function managerRoles(
  operators: readonly OperatorParts[],
  { namespace = NAMESPACE }: InstallOptions = {},
): readonly KubeObject[] {
  const name = 'kubewright:manager';
  const clusterRules = [...definitionRules(operators), ...configurationRules(operators)];
  const hasWebhooks = webhookConfigurationRefs(operators).length > 0;
  const rules = [...LEASE_RULES, ...(hasWebhooks ? SECRET_RULES : [])];
  return [
    role(name, clusterRules),
    binding(name, [MANAGER], namespace),
    role(name, rules, namespace),
    binding(name, [MANAGER], namespace, 'Role'),
  ];
}

function definitionRules(operators: readonly OperatorParts[]): readonly PolicyRule[] {
  const resourceNames = operators.flatMap(({ resources }) =>
    resources.map(({ definition }) => definition.metadata.name),
  );
  const resources = ['customresourcedefinitions'];
  // A rule without resourceNames covers every object. Create by apply, and list and watch of one object, carry its
  // name.
  if (resourceNames.length === 0) return [];
  const verbs = ['get', 'list', 'watch', 'create', 'patch'];
  return [{ apiGroups: ['apiextensions.k8s.io'], resources, resourceNames, verbs }];
}

function configurationRules(operators: readonly OperatorParts[]): readonly PolicyRule[] {
  const refs = webhookConfigurationRefs(operators);
  return [...new Set(refs.map(({ kind }) => kind))].flatMap((kind) => {
    const { group, resource } = configurationResource(kind);
    const about = { apiGroups: [group], resources: [resource] };
    const resourceNames = refs.filter((one) => one.kind === kind).map(({ name }) => name);
    return [
      { ...about, verbs: ['list', 'watch'] },
      { ...about, resourceNames, verbs: ['get', 'patch'] },
    ];
  });
}

const LEASE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: [MANAGER],
    verbs: ['get', 'update'],
  },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

const SECRET_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: [CERTIFICATES],
    verbs: ['get', 'list', 'watch', 'update'],
  },
];
