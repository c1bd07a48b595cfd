import { ApiError, type Client } from '@kubewright/client';
import type { Json, ManagedFieldsEntry, Stored } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import {
  act,
  addOwnership,
  type AnyKindApi,
  anyKindApi,
  type OperatorParts,
  ownershipParts,
  type OwnershipTools,
} from '@kubewright/operators';
import { heldPath, HOLDER } from './ownership-held.ts';
import { at, SLICE, SLICES } from './ownership-objects.ts';

/** What is broken on purpose. */
export type OwnershipVariant = {
  readonly tools: (client: Client) => OwnershipTools;
  /** Replaces the client with which the operator works, its cache aside. */
  readonly client?: (client: Client) => Client;
};

/** The operator as it is, but for what is broken. */
export function brokenBy({ tools, client = (same) => same }: OwnershipVariant): OperatorParts {
  const add = (...[manager, env]: Parameters<typeof addOwnership>): void => {
    const broken = { ...manager, client: client(manager.client) };
    addOwnership(broken, env, tools(broken.client));
  };
  return { ...ownershipParts, parts: ownershipParts.parts.map((part) => ({ ...part, add })) };
}

/** What shares objects, and kinds that come and go. */
export const sharingVariants = {
  /** Does not see that another tool has an object that it deletes. */
  possessive: { tools: (client) => ({ api: possessive(anyKindApi(client)), act }) },
  /** Does not see that another Composition has an object that it deletes. */
  selfish: { tools: (client) => ({ api: anyKindApi(client), act }), client: seeingNoSlices },
  /** Never asks again for a kind that the server did not serve once. */
  resigned: { tools: (client) => ({ api: resigned(anyKindApi(client)), act }) },
} satisfies Readonly<Record<string, OwnershipVariant>>;

const OWN_VARIANTS: Readonly<Record<string, (client: Client) => OwnershipTools>> = {
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
  /** Fails to delete what cannot exist, because its kind is not served. */
  intolerant: (client) => ({ api: intolerant(anyKindApi(client)), act }),
  /** Takes an object for what it was when it was looked at, whatever the watch reports. */
  trusting: (client) => ({ api: anyKindApi(client), act, isAtRest: () => true }),
  /** Reports somebody else as the one who holds a field. */
  misnaming: (client) => ({ api: seeing(anyKindApi(client), (entry) => [renamed(entry)]), act }),
};

/** Operators that are broken on purpose: a simulation that masters them too would prove nothing. */
export const ownershipVariants: Readonly<Record<string, OwnershipVariant>> = {
  ...Object.fromEntries(Object.entries(OWN_VARIANTS).map(([name, tools]) => [name, { tools }])),
  ...sharingVariants,
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
    apply({ metadata: { resourceVersion: _guard, uid: _identity, ...metadata }, ...object }, options) {
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
      const { annotations: _marks, labels: _labels, managedFields: _fields, ...rest } = live.metadata;
      const { ownerReferences: _owners, ...metadata } = rest;
      return { ...live, metadata };
    },
  };
}

function seeingNoSlices(client: Client): Client {
  return {
    ...client,
    async list(ref, options) {
      const page = await client.list(ref, options);
      const isOfAll = isSlices(ref) && options?.namespace === undefined;
      return isOfAll ? { ...page, items: [] } : page;
    },
  };
}

const isSlices = ({ kind }: { readonly kind: string }): boolean => kind === SLICES.kind;

function intolerant(api: AnyKindApi): AnyKindApi {
  return { ...api, find: (ref) => api.get(ref) };
}

function resigned(api: AnyKindApi): AnyKindApi {
  const unserved = new Map<string, ApiError>();
  return {
    ...api,
    async get(ref) {
      const before = unserved.get(ref.kind);
      if (before !== undefined) throw before;
      return api.get(ref).catch((error: unknown) => {
        if (error instanceof ApiError && error.reason === 'NoMatch') unserved.set(ref.kind, error);
        throw error;
      });
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
