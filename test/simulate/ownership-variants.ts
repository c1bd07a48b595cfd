import type { Client } from '@kubewright/client';
import { isJsonArray, type Json, type KubeObject } from '@kubewright/kube';
import { act, clientTarget, type OwnershipTools, type Target } from '@kubewright/operators';
import { at, SLICE, SLICES } from './ownership-objects.ts';

/** Operators that are broken on purpose: a simulation that masters them too would prove nothing. */
export const ownershipVariants: Readonly<Record<string, (client: Client) => OwnershipTools>> = {
  /** Writes what it planned, whatever the object has become since it was read. */
  unguarded: (client) => ({ target: unguarded(clientTarget(client)), act }),
  /** Takes every 200 for what it asked for. */
  unverified: (client) => ({ target: clientTarget(client), act: unverified }),
  /** Says that it is done, and then does it. */
  hasty: (client) => ({ target: clientTarget(client), act: hasty(client) }),
};

function unguarded(target: Target): Target {
  return {
    ...target,
    patchJson(ref, patch, options) {
      const isGuard = (operation: Json): boolean => at(operation, 'path') === '/metadata/resourceVersion';
      const rest = isJsonArray(patch) ? patch.filter((operation) => !isGuard(operation)) : patch;
      return target.patchJson(ref, rest, options);
    },
    apply({ metadata: { resourceVersion: _guard, ...metadata }, ...object }, options) {
      return target.apply({ ...object, metadata }, options);
    },
  };
}

const unverified: typeof act = async (action, target) => {
  let answered: KubeObject | undefined;
  const outcome = await act(action, {
    ...target,
    async patchJson(...call) {
      const answer = await target.patchJson(...call);
      if (answer.ok) answered = answer.object;
      return answer;
    },
  });
  return outcome.kind === 'ignored' && answered !== undefined
    ? { kind: 'written', object: answered }
    : outcome;
};

const hasty =
  (client: Client): typeof act =>
  async (action, target) => {
    if (action.type === 'apply') {
      const body = { status: { resources: [{ reconciled: true }] } };
      await client.patch(SLICES, SLICE, { type: 'merge', body }, { subresource: 'status' });
    }
    return act(action, target);
  };
