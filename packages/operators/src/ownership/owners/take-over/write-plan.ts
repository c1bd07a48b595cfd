import { type Client, isConflict, type KindRef, type ResourceRef } from '@kubewright/client';
import { defined, type Stored } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';
import type { MigrationPlan } from '../../decide/migration-plan.ts';
import { rewritePatch, tookEffect } from '../../decide/rewrite.ts';

/** How often a write that met a newer version is planned again. */
const ATTEMPTS = 5;

/** The object before and after a write. */
export type Written = { readonly before: Stored; readonly after: Stored };

/** What a write begins with. */
export type PlannedWrite = {
  readonly live: Stored;
  readonly ref: ResourceRef | KindRef;
  readonly manager: string;
  readonly dryRun: boolean;
  /** Of the newest version of the object. */
  readonly plan: (live: Stored) => MigrationPlan;
};

/**
 * Planned again from the newest version after a conflict: a claim that somebody made meanwhile is never lost. Undefined
 * where somebody else has moved it meanwhile.
 */
export async function writePlan(
  { ref, manager, dryRun, plan: planOf, ...begun }: PlannedWrite,
  client: Client,
): Promise<Written | undefined> {
  let { live } = begun;
  const { namespace, name } = live.metadata;
  const key = defined({ namespace, name });
  for (let attempt = 1; ; attempt++) {
    const plan = planOf(live);
    if (!isRewrite(plan)) return undefined;
    const body = rewritePatch(plan.rewrite, live.metadata.resourceVersion);
    try {
      const after = await client.patch(ref, key, { type: 'json', body }, { fieldManager: manager, dryRun });
      if (!dryRun && !tookEffect(plan.rewrite, live, after))
        throw new OperatorError(
          'Failed',
          'the server responded 200 but kept the old managedFields; run the plan again',
        );
      return { before: live, after };
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      live = await client.get(ref, key);
    }
  }
}

/** False where there is nothing to write. Throws where it may not be written. */
export function isRewrite(plan: MigrationPlan): plan is Extract<MigrationPlan, { kind: 'rewrite' }> {
  if (plan.kind === 'blocked') throw new OperatorError('Failed', `${plan.message}; nothing was written`);
  return plan.kind === 'rewrite';
}
