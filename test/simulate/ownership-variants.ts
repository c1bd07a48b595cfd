import type { Client } from '@kubewright/client';
import type { Json, ManagedFieldsEntry, Stored } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import { act, type AnyKindApi, anyKindApi, type OwnershipTools } from '@kubewright/operators';
import { heldPath, HOLDER } from './ownership-held.ts';
import { at, SLICE, SLICES } from './ownership-objects.ts';

/** Operators that are broken on purpose: a simulation that masters them too would prove nothing. */
export const ownershipVariants: Readonly<Record<string, (client: Client) => OwnershipTools>> = {
  /** Writes what it planned, whatever the object has become since it was read. */
  unguarded: (client) => ({ api: unguarded(anyKindApi(client)), act }),
  /** Takes every 200 for what it asked for. */
  unverified: (client) => ({ api: anyKindApi(client), act: unverified }),
  /** Says that it is done, and then does it. */
  hasty: (client) => ({ api: anyKindApi(client), act: hasty(client) }),
  /** Takes more than it needs. */
  greedy: (client) => ({ api: anyKindApi(client), act: greedy }),
  /** Applies once another value than the manifest's. */
  changing: (client) => ({ api: anyKindApi(client), act: changing() }),
  /** Never finds the object in sync. */
  restless: (client) => ({ api: restless(anyKindApi(client)), act }),
  /** Does not see one of the managers, and so gives its fields away. */
  blind: (client) => ({ api: seeing(anyKindApi(client), () => []), act }),
  /** Does not see that another tool has an object that it deletes. */
  possessive: (client) => ({ api: possessive(anyKindApi(client)), act }),
  /** Reports somebody else as the one who holds a field. */
  misnaming: (client) => ({ api: seeing(anyKindApi(client), (entry) => [renamed(entry)]), act }),
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

const REPLICAS = ['f:spec', 'f:replicas'];

const greedy: typeof act = (action, api) => {
  if (action.type !== 'rewrite') return act(action, api);
  const more = FieldSet.of(REPLICAS);
  const entries = action.rewrite.entries.map((entry) =>
    entry.manager === 'eno'
      ? {
          ...entry,
          fieldsV1: FieldSet.parse(entry.fieldsV1 ?? {})
            .union(more)
            .toJson(),
        }
      : entry,
  );
  const expected = new Map(
    [...action.rewrite.expected].map(([identity, set]) => [
      identity,
      identity.includes('"eno"') ? set.union(more) : set,
    ]),
  );
  return act({ ...action, rewrite: { entries, expected } }, api);
};

const changing = (): typeof act => {
  let isFirst = true;
  return (action, api) => {
    if (action.type !== 'apply' || !isFirst) return act(action, api);
    isFirst = false;
    const { metadata, ...object } = action.object;
    const changed = { ...object, metadata: { ...metadata, labels: { app: 'other' } } };
    return act({ ...action, object: changed }, api);
  };
};

/** Its dry runs show a label that no write brings about. */
function restless(api: AnyKindApi): AnyKindApi {
  return {
    ...api,
    async apply(object, options) {
      const answer = await api.apply(object, options);
      if (!answer.ok || !options.dryRun) return answer;
      const { metadata, ...rest } = answer.object;
      return {
        ...answer,
        object: { ...rest, metadata: { ...metadata, labels: { ...metadata.labels, look: '1' } } },
      };
    },
  };
}

/** What goes is nobody else's by what it finds. */
function possessive(api: AnyKindApi): AnyKindApi {
  return {
    ...api,
    async find(ref) {
      const live = await api.find(ref);
      if (live === undefined) return live;
      const { annotations: _marks, managedFields: _owners, ...metadata } = live.metadata;
      return { ...live, metadata };
    },
  };
}

/** Where the manager has what is to go. */
const renamed = (entry: ManagedFieldsEntry): ManagedFieldsEntry =>
  FieldSet.parse(entry.fieldsV1 ?? {}).has(heldPath) ? { ...entry, manager: `${HOLDER}-2` } : entry;

/** Reads objects with other entries in the place of the holder's. */
function seeing(
  api: AnyKindApi,
  instead: (entry: ManagedFieldsEntry) => readonly ManagedFieldsEntry[],
): AnyKindApi {
  return {
    ...api,
    async get(...call) {
      const live = await api.get(...call);
      if (live?.metadata.managedFields === undefined) return live;
      const managedFields = live.metadata.managedFields.flatMap((entry) =>
        entry.manager === HOLDER ? instead(entry) : [entry],
      );
      return { ...live, metadata: { ...live.metadata, managedFields } };
    },
  };
}
