import type { Named } from '@kubewright/kube';
import { profileOf, type RestoreProfiles } from './restore-profiles.ts';

/**
 * The steps of a restore. What a controller would otherwise create is there before the controller sees the object for
 * which it would create it: a Secret before its Certificate, so that the key stays the same.
 */
export const RESTORE_ORDER = ['namespace', 'data', 'objects', 'last', 'quotas'] as const;

export type RestoreOrder = (typeof RESTORE_ORDER)[number];

/** Other objects refer to these, and none of them starts a pod or is made into other objects. */
const DATA: ReadonlySet<string> = new Set([
  'v1/Secret',
  'v1/ConfigMap',
  'v1/PersistentVolumeClaim',
  'v1/ServiceAccount',
  'v1/Service',
  'v1/Endpoints',
  'v1/LimitRange',
  'v1/PodTemplate',
  'discovery.k8s.io/v1/EndpointSlice',
  'rbac.authorization.k8s.io/v1/Role',
  'networking.k8s.io/v1/NetworkPolicy',
  'policy/v1/PodDisruptionBudget',
  'autoscaling/v1/HorizontalPodAutoscaler',
  'autoscaling/v2/HorizontalPodAutoscaler',
]);

export function orderOf(object: Named, profiles: RestoreProfiles): RestoreOrder {
  const type = `${object.apiVersion}/${object.kind}`;
  if (type === 'v1/Namespace') return 'namespace';
  // What was there together may be more than a quota allows now, and none allows anything before its controller has counted.
  if (type === 'v1/ResourceQuota') return 'quotas';
  // A pod is created when what it mounts is there, and when no controller creates it in its place.
  if (type === 'v1/Pod') return 'last';
  return DATA.has(type) ? 'data' : (profileOf(profiles, object)?.order ?? 'objects');
}
