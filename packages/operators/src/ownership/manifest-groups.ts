import { ANNOTATIONS } from './api.ts';

/** Groups of kinds that others need: created first and deleted last, as in the original, whatever their API group. */
const INFRASTRUCTURE_GROUP = -100;

const INFRASTRUCTURE: ReadonlySet<string> = new Set([
  'PriorityClass',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
  'Service',
  'EtcdCluster',
]);

/** When a manifest is due. Lower groups come first. */
export type ManifestGroups = {
  readonly readinessGroup: number;
  /** The readiness group is that of the kind, and no annotation's. */
  readonly isGroupOfKind?: boolean;
  /** Undefined: it waits for nothing when its Composition is deleted, and nothing waits for it. */
  readonly deletionGroup: number | undefined;
};

/** The groups that annotations give; a value that is no integer is ignored. */
export function manifestGroups(kind: string, annotations: Readonly<Record<string, string>>): ManifestGroups {
  const { [ANNOTATIONS.readinessGroup]: readiness, [ANNOTATIONS.deletionGroup]: deletion } = annotations;
  const isInfrastructure = INFRASTRUCTURE.has(kind);
  const defaults = isInfrastructure ? INFRASTRUCTURE_GROUP : 0;
  return {
    readinessGroup: readiness === undefined ? defaults : (integer(readiness) ?? 0),
    isGroupOfKind: readiness === undefined && isInfrastructure,
    deletionGroup:
      deletion === undefined && isInfrastructure ? -INFRASTRUCTURE_GROUP : integer(deletion ?? ''),
  };
}

function integer(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
