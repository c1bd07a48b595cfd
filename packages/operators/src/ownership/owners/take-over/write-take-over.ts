import { type Client, isConflict, type KindRef, type ResourceRef } from '@kubewright/client';
import { defined, type Stored } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';
import { tookEffect } from '../../decide/rewrite.ts';
import { patchOf } from './describe-take-over.ts';
import { planTakeOver, type TakeOver, type TakeOverPlan } from './plan-take-over.ts';

/** How often a write that met a newer version is planned again. */
const ATTEMPTS = 5;

/** The object before and after a write. */
export type Written = { readonly before: Stored; readonly after: Stored };

/** Planned again from the newest version after a conflict: a claim that somebody made meanwhile is never lost. */
export async function writeTakeOver(
  of: TakeOver,
  ref: ResourceRef | KindRef,
  dryRun: boolean,
  client: Client,
): Promise<Written | undefined> {
  let { live } = of;
  const { namespace, name } = live.metadata;
  const key = defined({ namespace, name });
  for (let attempt = 1; ; attempt++) {
    const taken = planTakeOver({ ...of, live });
    const body = patchOf(taken, live);
    // Somebody else has moved it meanwhile.
    if (!isRewrite(taken) || body === undefined) return undefined;
    try {
      const options = { fieldManager: of.manager, dryRun };
      const after = await client.patch(ref, key, { type: 'json', body }, options);
      if (!dryRun && !tookEffectOf(taken, live, after))
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

function tookEffectOf({ plan }: TakeOverPlan, before: Stored, after: Stored): boolean {
  return plan.kind === 'rewrite' && tookEffect(plan.rewrite, before, after);
}

/** False where there is nothing to write. Throws where it may not be written. */
export function isRewrite({ plan }: TakeOverPlan): boolean {
  if (plan.kind === 'blocked') throw new OperatorError('Failed', `${plan.message}; nothing was written`);
  return plan.kind === 'rewrite';
}
