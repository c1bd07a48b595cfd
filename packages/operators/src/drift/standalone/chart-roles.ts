import type { KubeObject } from '@kubewright/kube';
import { binding, role } from '../../kit/install-objects.ts';
import type { PolicyRule } from '../../kit/operator.ts';
import type { ChartNames } from './chart-names.ts';

const READ = ['get', 'list', 'watch'];
const POLICIES: PolicyRule = { apiGroups: ['kausality.io'], resources: ['kausalities'], verbs: READ };
const NAMESPACES: PolicyRule = { apiGroups: [''], resources: ['namespaces'], verbs: READ };

const WEBHOOK: readonly PolicyRule[] = [
  POLICIES,
  NAMESPACES,
  // The original records no Events.
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

const CONTROLLER: readonly PolicyRule[] = [
  { ...POLICIES, verbs: [...READ, 'patch'] },
  { apiGroups: ['kausality.io'], resources: ['kausalities/status'], verbs: ['get', 'patch'] },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations'],
    verbs: [...READ, 'patch'],
  },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['clusterroles'],
    verbs: [...READ, 'create', 'patch'],
  },
  // It gives the webhook what policies name, and may give only what it has.
  { apiGroups: ['*'], resources: ['*'], verbs: [...READ, 'update', 'patch'] },
];

/** The roles of both processes, and who has them. */
export function chartRoles(names: ChartNames, hasController: boolean): readonly KubeObject[] {
  const { namespace, webhook, resources, controller, webhookAccount } = names;
  const clusterRoleSelectors = [{ matchLabels: { 'kausality.io/aggregate-to-webhook-resources': 'true' } }];
  const objects = [
    role(webhook, WEBHOOK),
    binding(webhook, [webhookAccount], namespace),
    { ...role(resources, []), aggregationRule: { clusterRoleSelectors } },
    binding(resources, [webhookAccount], namespace),
  ];
  if (!hasController) return objects;
  const leases: PolicyRule = {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'create', 'update', 'patch'],
  };
  return [
    ...objects,
    role(controller, CONTROLLER),
    binding(controller, [controller], namespace),
    role(controller, [leases], namespace),
    binding(controller, [controller], namespace, 'Role'),
  ];
}
