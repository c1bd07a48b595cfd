import { type ApiError, type Client, isNotFound, type Ref } from '@kubewright/client';
import {
  appsv1,
  controllerOf,
  type corev1,
  errorText,
  getOwn,
  isJsonObject,
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
  type Stored,
} from '@kubewright/kube';
import type { Cache } from '@kubewright/runtime';
import { ClusterError } from '../../cluster-error.ts';
import type { Observed } from './decide.ts';

type Scaled = { readonly uid: string; readonly replicas: number };

/**
 * How many pods the controllers of `pods` want together: Deployments, ReplicaSets and StatefulSets as the cache has
 * them, any other kind through its subresource `scale`.
 */
export async function wantedPods(
  { cache, client }: { readonly cache: Cache; readonly client: Client },
  pods: readonly Stored<corev1.Pod>[],
): Promise<Observed['scale']> {
  const owners = new Map<string, { readonly owner: OwnerReference; readonly pod: Stored<corev1.Pod> }>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner !== undefined && !owners.has(owner.uid)) owners.set(owner.uid, { owner, pod });
  }
  const wanted = new Map<string, number>();
  try {
    for (const { owner, pod } of owners.values()) {
      const { namespace, name } = pod.metadata;
      const scaled = cached(cache, owner, namespace) ?? (await scaleOf(client, owner, namespace));
      if (scaled === undefined) return { error: `found no controllers for pod "${name}"` };
      wanted.set(scaled.uid, scaled.replicas);
    }
  } catch (error) {
    return { error: errorText(error) };
  }
  const unmanaged = pods.filter((pod) => controllerOf(pod) === undefined).length;
  return { wanted: [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}

function cached(
  cache: Cache,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): Scaled | undefined {
  if (parseApiVersion(apiVersion).group !== 'apps') return undefined;
  if (kind === 'StatefulSet') return scaledAs(cache.get(appsv1.statefulsets, { namespace, name }), uid);
  const set = kind === 'ReplicaSet' ? cache.get(appsv1.replicasets, { namespace, name }) : undefined;
  const owner = set?.metadata.uid === uid ? controllerOf(set) : undefined;
  if (owner?.kind !== 'Deployment') return scaledAs(set, uid);
  return scaledAs(cache.get(appsv1.deployments, { namespace, name: owner.name }), owner.uid);
}

type Workload = KubeObject & { readonly spec: { readonly replicas?: number } };

function scaledAs(workload: Workload | undefined, uid: string): Scaled | undefined {
  return workload?.metadata.uid === uid ? { uid, replicas: workload.spec.replicas ?? 1 } : undefined;
}

/** Throws where the kind has no scale; what is not there has none either. */
async function scaleOf(
  client: Client,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): Promise<Scaled | undefined> {
  const { group, version } = parseApiVersion(apiVersion);
  const ref: Ref = { group, version, kind };
  try {
    const scale = await client.get(ref, { namespace, name }, { subresource: 'scale' });
    return scale.metadata.uid === uid ? { uid, replicas: replicasOf(scale) } : undefined;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if ((error as ApiError).status.details?.name === name) return undefined;
    const { resource } = await client.mapper.resolve(ref);
    const qualified = group === '' ? resource : `${resource}.${group}`;
    throw new ClusterError('NotSupported', `${qualified} does not implement the scale subresource`, {
      cause: error,
    });
  }
}

function replicasOf(scale: KubeObject): number {
  const spec = getOwn(scale, 'spec');
  const replicas = isJsonObject(spec) ? getOwn(spec, 'replicas') : undefined;
  return typeof replicas === 'number' ? replicas : 0;
}
