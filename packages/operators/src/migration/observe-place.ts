import { ignoreNotFound, type ResourceRef } from '@kubewright/client';
import { appsv1, controllerOf, corev1, defined, type KubeObject, type Stored } from '@kubewright/kube';
import { formatLabelSelector, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import type { Io } from '@kubewright/runtime';
import { isTerminal, LABELS, type StatefulMigration } from './api.ts';
import type { LivePod } from './decide/observed-migration.ts';
import { hasNewName, type Place, placeOf } from './decide/place-of.ts';

export async function podNamed(
  { metadata: { namespace } }: StatefulMigration,
  name: string,
  { client }: Io,
): Promise<LivePod | undefined> {
  return name === '' ? undefined : ignoreNotFound(client.get(corev1.pods, { namespace, name }));
}

/** The pod that has the name of the source; of a ReplicaSet that has made another one, that one. */
export async function observePlace(migration: StatefulMigration, io: Io): Promise<Place> {
  const { status } = migration;
  if (status === undefined || !hasNewName(status))
    return defined({ named: await podNamed(migration, migration.spec.sourcePod, io) });
  const { namespace, uid } = migration.metadata;
  // Of one that is over only those matter that it has changed, and its ReplicaSet may be gone.
  const set = isTerminal(status) ? undefined : await replicaSetOf(migration, undefined, io);
  const labelSelector =
    set === undefined
      ? `${LABELS.migration}=${uid}`
      : formatLabelSelector(selectorFromLabelSelector(set.spec.selector));
  const { items } = await io.client.list(corev1.pods, { namespace, labelSelector });
  return placeOf(items, migration);
}

type Owner = { readonly name: string | undefined; readonly uid: string | undefined };

/** The StatefulSet of the source. */
export async function setOf(migration: StatefulMigration, named: LivePod | undefined, io: Io) {
  const { statefulSetName: name, statefulSetUID: uid } = migration.status ?? {};
  const owner = { name: name ?? ownerName(named, 'StatefulSet'), uid };
  return ownerOf(appsv1.statefulsets, migration, owner, io);
}

/** The ReplicaSet of the source. */
export async function replicaSetOf(migration: StatefulMigration, named: LivePod | undefined, io: Io) {
  const { replicaSetName: name, replicaSetUID: uid } = migration.status ?? {};
  const owner = { name: name ?? ownerName(named, 'ReplicaSet'), uid };
  return ownerOf(appsv1.replicasets, migration, owner, io);
}

function ownerName(pod: LivePod | undefined, kind: string): string | undefined {
  const owner = pod === undefined ? undefined : controllerOf(pod);
  return owner?.kind === kind ? owner.name : undefined;
}

/** Undefined where there is none, or another one of that name. */
async function ownerOf<T extends KubeObject>(
  resource: ResourceRef<T>,
  { metadata: { namespace } }: StatefulMigration,
  { name, uid }: Owner,
  { client }: Io,
): Promise<Stored<T> | undefined> {
  if (name === undefined || name === '') return undefined;
  const owner = await ignoreNotFound(client.get(resource, { namespace, name }));
  return uid === undefined || owner?.metadata.uid === uid ? owner : undefined;
}
