import type { Client } from '@kubewright/client';
import type { Json, Stored } from '@kubewright/kube';
import { act, type AnyKindApi, anyKindApi, type OwnershipTools } from '@kubewright/operators';
import { at, SLICE, SLICES } from './ownership-objects.ts';

/** Operators that are broken on purpose: a simulation that masters them too would prove nothing. */
export const ownershipVariants: Readonly<Record<string, (client: Client) => OwnershipTools>> = {
  /** Writes what it planned, whatever the object has become since it was read. */
  unguarded: (client) => ({ api: unguarded(anyKindApi(client)), act }),
  /** Takes every 200 for what it asked for. */
  unverified: (client) => ({ api: anyKindApi(client), act: unverified }),
  /** Says that it is done, and then does it. */
  hasty: (client) => ({ api: anyKindApi(client), act: hasty(client) }),
};

function unguarded(api: AnyKindApi): AnyKindApi {
  return {
    ...api,
    patchJson(ref, patch, options) {
      const isGuard = (operation: Json): boolean => at(operation, 'path') === '/metadata/resourceVersion';
      return api.patchJson(
        ref,
        patch.filter((operation) => !isGuard(operation)),
        options,
      );
    },
    apply({ metadata: { resourceVersion: _guard, ...metadata }, ...object }, options) {
      return api.apply({ ...object, metadata }, options);
    },
  };
}

const unverified: typeof act = async (action, api) => {
  let object: Stored | undefined;
  const written = await act(action, {
    ...api,
    async patchJson(...call) {
      const answer = await api.patchJson(...call);
      if (answer.ok) object = answer.object;
      return answer;
    },
  });
  return object === undefined ? written : { outcome: 'done', object };
};

const hasty =
  (client: Client): typeof act =>
  async (action, api) => {
    if (action.type === 'apply') {
      const body = { status: { resources: [{ reconciled: true }] } };
      await client.patch(SLICES, SLICE, { type: 'merge', body }, { subresource: 'status' });
    }
    return act(action, api);
  };
