import type { Client } from '@kubewright/client';
import type { corev1, KubeObject, Stored } from '@kubewright/kube';
import type { NeededObjects } from './needed-objects.ts';
import { type Need, type Needs, needsOf } from './needs.ts';
import type { Obstacle } from './observed.ts';

/** What a pod has to wait for. */
export type Missing = {
  /** A volume that cannot be mounted: no container starts. */
  readonly obstacle?: Obstacle;
  /** Why containers cannot be created, by name. */
  readonly configErrors: ReadonlyMap<string, string>;
};

export const NOTHING_MISSING: Missing = { configErrors: new Map() };

/** Looks for what a pod cannot start without. Only reads, and only what the pod names. Who waits looks again. */
export async function findMissing(
  client: Client,
  pod: Stored<corev1.Pod>,
  objects: NeededObjects,
): Promise<Missing> {
  const needs = needsOf(pod);
  const all = [...needs.volumes, ...needs.containers].map(({ need }) => need);
  if (all.length === 0) return NOTHING_MISSING;
  const { namespace } = pod.metadata;
  const found = new Map<string, KubeObject | undefined>();
  for (const need of all) {
    const key = `${need.kind}/${need.name}`;
    if (!found.has(key)) found.set(key, await objects.read(client, need, namespace));
  }
  return missing(needs, namespace, ({ kind, name }) => found.get(`${kind}/${name}`));
}

/** {@link findMissing} of what was found. */
function missing(needs: Needs, namespace: string, find: (need: Need) => KubeObject | undefined): Missing {
  const configErrors = new Map<string, string>();
  for (const { container, need } of needs.containers) {
    const problem = problemOf(need, find(need), namespace);
    if (problem !== undefined && !configErrors.has(container)) configErrors.set(container, problem);
  }
  for (const { volume, need } of needs.volumes) {
    const problem = problemOf(need, find(need), namespace);
    if (problem !== undefined)
      return { obstacle: mountFailure(volume, need, namespace, problem), configErrors };
  }
  return { configErrors };
}

/** In kubelet's words; undefined where the need is met. */
function problemOf(need: Need, object: KubeObject | undefined, namespace: string): string | undefined {
  const { kind, name, keys } = need;
  if (kind === 'PersistentVolumeClaim')
    return claimProblem(name, object as Stored<corev1.PersistentVolumeClaim> | undefined);
  if (object === undefined) return `${kind.toLowerCase()} "${name}" not found`;
  const data: unknown = {
    ...(object['data'] as object | undefined),
    ...(object['binaryData'] as object | undefined),
  };
  const key = keys.find((one) => !Object.hasOwn(data as object, one));
  return key === undefined ? undefined : `couldn't find key ${key} in ${kind} ${namespace}/${name}`;
}

function claimProblem(
  name: string,
  claim: Stored<corev1.PersistentVolumeClaim> | undefined,
): string | undefined {
  if (claim === undefined)
    return `failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`;
  const { deletionTimestamp, finalizers = [] } = claim.metadata;
  if (deletionTimestamp !== undefined && !finalizers.includes('kubernetes.io/pvc-protection'))
    return 'PVC is being deleted';
  if (claim.status?.phase !== 'Bound') return 'PVC is not bound';
  return undefined;
}

function mountFailure(volume: string, { kind, name }: Need, namespace: string, problem: string): Obstacle {
  const reason = 'FailedMount';
  if (kind !== 'PersistentVolumeClaim')
    return { reason, message: `MountVolume.SetUp failed for volume "${volume}" : ${problem}` };
  const which = `unmounted volumes=[${volume}], unattached volumes=[], failed to process volumes=[${volume}]`;
  const why = `error processing PVC ${namespace}/${name}: ${problem}`;
  return { reason, message: `Unable to attach or mount volumes: ${which}: ${why}` };
}
