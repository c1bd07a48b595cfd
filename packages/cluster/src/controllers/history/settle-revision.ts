import { type Client, ignoreNotFound, isAlreadyExists, keyOf } from '@kubewright/client';
import { appsv1, jsonEqual, type KubeObject } from '@kubewright/kube';
import { hashData } from './hash-data.ts';
import { revisionName } from './new-revision.ts';
import type { RevisionPlan } from './plan-revision.ts';

type Revision = appsv1.ControllerRevision;

export type Settled = {
  readonly revision: Revision;
  /** How often names of revisions were taken so far. */
  readonly collisions: number;
};

/** Carries a plan out: answers with the revision of the present template, as it is stored. */
export async function settleRevision(
  client: Client,
  owner: KubeObject,
  plan: RevisionPlan,
  collisions: number,
): Promise<Settled> {
  if (plan.type === 'keep') return { revision: plan.revision, collisions };
  if (plan.type === 'create') return createRevision(client, owner, plan.revision, collisions);
  const renumbered = { ...plan.revision, revision: plan.to };
  return { revision: await client.update(appsv1.controllerrevisions, renumbered), collisions };
}

/** A name that is taken by other data changes the hash; one that is taken by this data is a lost answer, or luck. */
async function createRevision(
  client: Client,
  owner: KubeObject,
  revision: Revision,
  before: number,
): Promise<Settled> {
  const { data = {} } = revision;
  for (let collisions = before; ; collisions++) {
    const name = revisionName(owner, hashData(data, collisions));
    const named = { ...revision, metadata: { ...revision.metadata, name } };
    try {
      return { revision: await client.create(appsv1.controllerrevisions, named), collisions };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const taken = await client.get(appsv1.controllerrevisions, keyOf(named));
      if (jsonEqual(taken.data ?? null, data)) return { revision: taken, collisions };
    }
  }
}

/** By uid: a revision of the same name may have come since. */
export async function deleteRevision(client: Client, revision: Revision): Promise<void> {
  const { uid } = revision.metadata;
  const options = uid === undefined ? {} : { preconditions: { uid } };
  await ignoreNotFound(client.delete(appsv1.controllerrevisions, keyOf(revision), options));
}
