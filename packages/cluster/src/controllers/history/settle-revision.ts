import { type Client, ignoreNotFound, isAlreadyExists, keyOf } from '@kubewright/client';
import { appsv1, jsonEqual, type Stored } from '@kubewright/kube';
import type { RevisionPlan } from './plan-revision.ts';

type Revision = Stored<appsv1.ControllerRevision>;

export type Settled = {
  readonly revision: Revision;
  /** How often names of revisions were taken so far. */
  readonly collisions: number;
};

export type Settling = {
  readonly plan: RevisionPlan;
  /** How often names were taken before. */
  readonly collisions: number;
  /** What is to be created, under the name that it has after so many collisions. */
  readonly named: (revision: appsv1.ControllerRevision, collisions: number) => appsv1.ControllerRevision;
};

/** Carries a plan out: resolves to the revision of the present template, as it is stored. */
export async function settleRevision(client: Client, settling: Settling): Promise<Settled> {
  const { plan, collisions } = settling;
  if (plan.type === 'keep') return { revision: plan.revision, collisions };
  if (plan.type === 'create') return createRevision(client, settling);
  const renumbered = { ...plan.revision, revision: plan.to };
  return { revision: await client.update(appsv1.controllerrevisions, renumbered), collisions };
}

/** A name that is taken by other data changes the hash; one that is taken by this data means that the response was lost. */
async function createRevision(client: Client, { plan, named, ...before }: Settling): Promise<Settled> {
  for (let { collisions } = before; ; collisions++) {
    const revision = named(plan.revision, collisions);
    try {
      return { revision: await client.create(appsv1.controllerrevisions, revision), collisions };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const taken = await client.get(appsv1.controllerrevisions, keyOf(revision));
      if (jsonEqual(taken.data ?? null, revision.data ?? null)) return { revision: taken, collisions };
    }
  }
}

/** By uid: a revision of the same name may have come since. */
export async function deleteRevision(client: Client, revision: Revision): Promise<void> {
  const preconditions = { uid: revision.metadata.uid };
  await ignoreNotFound(client.delete(appsv1.controllerrevisions, keyOf(revision), { preconditions }));
}
