import { type Client, isAlreadyExists } from '@kubewright/client';
import { type appsv1, corev1, errorText, type Named, type Stored } from '@kubewright/kube';
import { ClusterError, incomplete } from '../../cluster-error.ts';
import type { ClaimsPlan } from './decide/plan-claims.ts';
import type { StatefulSetEvents } from './stateful-set-events.ts';

type Tools = { readonly client: Client; readonly events: StatefulSetEvents };
type Owner = { readonly set: Stored<appsv1.StatefulSet>; readonly pod: Named<corev1.Pod> };

/** Makes the claims that a pod lacks. Rejects when it cannot have them all. */
export async function createClaims(
  { client, events }: Tools,
  { set, pod }: Owner,
  { create, leaving }: ClaimsPlan,
): Promise<void> {
  const failures = leaving.map((name) => `pvc ${name} is being deleted`);
  let cause: unknown;
  for (const claim of create) {
    const { name } = claim.metadata;
    const about = { claim: name, pod: pod.metadata.name };
    try {
      await client.create(corev1.persistentvolumeclaims, claim);
      events.claim(set, about);
    } catch (error) {
      cause = error;
      failures.push(`failed to create PVC ${name}: ${errorText(error)}`);
      if (!isAlreadyExists(error)) events.claim(set, about, errorText(error));
    }
  }
  if (failures.length > 0) throw incomplete(failures, cause);
}

/** Gives claims the owners that the retention policy wants. */
export async function updateClaims(
  { client, events }: Tools,
  { set }: Owner,
  { update, foreign }: ClaimsPlan,
): Promise<void> {
  for (const name of foreign) events.foreignController(set, name);
  for (const claim of update) {
    const { name } = claim.metadata;
    try {
      await client.update(corev1.persistentvolumeclaims, claim);
    } catch (error) {
      const message = `could not update claim ${name} for delete policy ownerRefs: ${errorText(error)}`;
      throw new ClusterError('Incomplete', message, { cause: error });
    }
  }
}
