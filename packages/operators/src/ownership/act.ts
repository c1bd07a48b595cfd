import type { KubeObject, Status } from '@kubewright/kube';
import { FIELD_MANAGER } from './constants.ts';
import type { ResourceAction } from './decide/resource-decision.ts';
import { rewritePatch, tookEffect } from './decide/rewrite.ts';
import { type Answer, refOf, type Target } from './target.ts';

/**
 * How a write ended. `conflict`: the object had changed, look again. `ignored`: the server answered 200 and kept the
 * old managedFields. `none`: there was nothing to write.
 */
export type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'written'; readonly object: KubeObject }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'refused'; readonly status: Status };

/** Carries out one action: one API call. */
export async function act(action: ResourceAction, target: Target): Promise<Outcome> {
  switch (action.type) {
    case 'apply':
      return outcomeOf(await target.apply(action.object, { manager: FIELD_MANAGER, dryRun: false }));
    case 'delete':
      return outcomeOf(await target.delete(action.live, action.propagation));
    case 'rewrite':
      return rewrite(action, target);
  }
}

async function rewrite(
  { rewrite, live }: Extract<ResourceAction, { type: 'rewrite' }>,
  target: Target,
): Promise<Outcome> {
  const patch = rewritePatch(rewrite, live.metadata.resourceVersion ?? '');
  const outcome = outcomeOf(await target.patchJson(refOf(live), patch, { manager: FIELD_MANAGER }));
  if (outcome.kind !== 'written') return outcome;
  return tookEffect(rewrite, live, outcome.object) ? outcome : { kind: 'ignored' };
}

function outcomeOf(answer: Answer): Outcome {
  if (answer.ok) return { kind: 'written', object: answer.object };
  return answer.status.code === 409 ? { kind: 'conflict' } : { kind: 'refused', status: answer.status };
}
