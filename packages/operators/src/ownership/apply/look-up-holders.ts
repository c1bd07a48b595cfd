import { ApiError, type Client } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import { anyKindApi, refOf } from '../../kit/any-kind-api.ts';
import { containerOf } from '../../kit/contents-of.ts';
import { inParallel } from '../../kit/in-parallel.ts';
import { ANNOTATIONS, type Composition, compositionOf, FIELD_MANAGER, type ResourceSlice } from '../api.ts';
import { compositionsWanting, listSlices } from '../holders/other-compositions.ts';
import { containedHolders } from '../holders/contained-holders.ts';
import type { Holders } from '../holders/holders.ts';
import { toolHolders } from '../holders/tool-holders.ts';
import { describeOwner, readManagedFields } from '../read-managed-fields.ts';
import { type DesiredManifest, readManifest } from '../read-manifest.ts';
import type { ObjectChange, PlannedChange } from './plan-apply.ts';

type Cluster = { readonly client: Client; readonly namespace: string };

/**
 * The changes, where what is to be created and exists is adopted, and what is to be pruned and others have is released;
 * both with who has it. What cannot be read is as planned.
 */
export async function lookUpHolders(
  changes: readonly PlannedChange[],
  composition: Stored<Composition> | undefined,
  { client, namespace }: Cluster,
): Promise<readonly ObjectChange[]> {
  if (changes.every(({ change }) => change === 'change')) return changes.map(shown);
  const others = (await slicesToSee(client, namespace)).filter(
    (slice) => compositionOf(slice)?.uid !== composition?.metadata.uid || composition === undefined,
  );
  return inParallel(changes, async (planned) => {
    const manifest = readManifest(planned.manifest, composition);
    if (planned.change === 'change' || typeof manifest === 'string' || manifest.patch !== undefined)
      return shown(planned);
    const live = await read(client, manifest);
    if (live === undefined) return shown(planned);
    const isCreate = planned.change === 'create';
    const container = isCreate ? undefined : containerOf(live);
    const { names: compositions } = await compositionsWanting(client, others, live, container);
    if (isCreate) return adopted(planned, live, compositions);
    const tools = [...toolHolders(live), ...(await containedHolders(live, anyKindApi(client)))];
    return released(planned, manifest, { compositions, tools });
  });
}

/** Who may not list the slices of all namespaces sees those of one. */
async function slicesToSee(client: Client, namespace: string): Promise<readonly Stored<ResourceSlice>[]> {
  try {
    return await listSlices(client);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 403) throw error;
    return listSlices(client, namespace);
  }
}

/** Undefined also where its kind is not served, or it may not be read. */
async function read(client: Client, { object }: DesiredManifest): Promise<Stored | undefined> {
  try {
    return await anyKindApi(client).get(refOf(object));
  } catch (error) {
    const isUnknown =
      error instanceof ApiError &&
      (error.code === 403 || error.reason === 'NoMatch' || error.reason === 'InvalidRequest');
    if (isUnknown) return undefined;
    throw error;
  }
}

function adopted(planned: PlannedChange, live: Stored, compositions: readonly string[]): ObjectChange {
  const holders = [...compositions, ...toolHolders(live)];
  const managers = readManagedFields(live)
    .claims.filter(({ owner }) => owner.manager !== FIELD_MANAGER && owner.subresource === '')
    .map(({ owner }) => describeOwner(owner));
  return { ...shown(planned), change: 'adopt', heldBy: holders.length > 0 ? holders : managers };
}

function released(
  planned: PlannedChange,
  { settings }: DesiredManifest,
  { compositions, tools }: Holders,
): ObjectChange {
  const heldBy = [...compositions, ...(settings[ANNOTATIONS.deleteShared] === 'true' ? [] : tools)];
  return heldBy.length === 0 ? shown(planned) : { ...shown(planned), change: 'release', heldBy };
}

function shown({ change, object }: PlannedChange): ObjectChange {
  return { change, object };
}
