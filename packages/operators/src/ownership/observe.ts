import { ApiError, statusWithoutValues } from '@kubewright/client';
import { defined, type KubeObject, type Stored } from '@kubewright/kube';
import { type Answer, type AnyKindApi, atVersion, refOf } from '../kit/any-kind-api.ts';
import { ANNOTATIONS, FIELD_MANAGER, type ManifestState, PROBE_MANAGER } from './api.ts';
import { mergedWith } from './decide/decide-merge.ts';
import { replacementOf } from './decide/decide-replace.ts';
import { removedVersion } from './decide/repair-version.ts';
import { ownClaim, readManagedFields } from './read-managed-fields.ts';
import { deletesTarget } from './decide/decide-patch.ts';
import type { ObservedResource } from './decide/observed-resource.ts';
import type { OtherCompositions } from './holders/other-compositions.ts';
import { containedHolders } from './holders/contained-holders.ts';
import type { Holders } from './holders/holders.ts';
import { toolHolders } from './holders/tool-holders.ts';
import type { DesiredManifest } from './read-manifest.ts';

type Around = {
  /** The object as a write just returned it. */
  readonly known?: Stored | undefined;
  /** The state after the last merge, where server-side apply is disabled. */
  readonly mergeFrom?: ManifestState;
  /** The other Compositions that want an object, or what goes with it. Absent: there are none. */
  readonly wantedBy?: OtherCompositions['wantedBy'] | undefined;
};

/** Reads what is needed, and only reads. */
export async function observe(
  given: DesiredManifest,
  api: AnyKindApi,
  { known, mergeFrom, wantedBy }: Around = {},
): Promise<ObservedResource> {
  const live = known ?? (await read(given, api));
  const { deleted, prevails = false, isDropped = false } = given;
  const manifest = { ...(given.overridden?.(live) ?? given), deleted, prevails, isDropped };
  if (live === undefined) return { manifest, live };
  if (isToGo(manifest, live))
    return { manifest, live, heldBy: await holdersOf(manifest, live, { api, wantedBy }) };
  return isApplied(manifest, live) ? tried(manifest, live, { api, mergeFrom }) : { manifest, live };
}

/** What the server would make of a manifest. */
async function tried(
  manifest: DesiredManifest,
  live: Stored,
  { api, mergeFrom }: { readonly api: AnyKindApi; readonly mergeFrom: ManifestState | undefined },
): Promise<ObservedResource> {
  const replacement = replacementFor(manifest, live, mergeFrom);
  if (replacement !== undefined) {
    const dryRun = await current(api.replace(replacement.object, { manager: FIELD_MANAGER, dryRun: true }));
    return { manifest, live, dryRun, ...defined({ merged: replacement.merged }) };
  }
  return { manifest, live, ...(await tryApply(atVersion(manifest.object, live), live, api)) };
}

/** Dry runs of the apply: by Kubewright's manager and, where that is invalid although it owns fields, by one that owns none. */
async function tryApply(
  object: KubeObject,
  live: Stored,
  api: AnyKindApi,
): Promise<Pick<ObservedResource, 'dryRun' | 'probe'>> {
  const tried = (manager: string): Promise<Answer> => current(api.apply(object, { manager, dryRun: true }));
  const dryRun = await tried(FIELD_MANAGER);
  const isInvalid = !dryRun.ok && dryRun.status.code === 422;
  if (!isInvalid || ownClaim(readManagedFields(live).claims, FIELD_MANAGER) === undefined) return { dryRun };
  return { dryRun, probe: await tried(PROBE_MANAGER) };
}

/** The whole object that an update would write, where the manifest is not applied. */
function replacementFor(
  { object, settings }: DesiredManifest,
  live: Stored,
  mergeFrom: ManifestState | undefined,
): { readonly object: KubeObject; readonly merged?: KubeObject } | undefined {
  if (settings[ANNOTATIONS.replace] === 'true') return { object: replacementOf(object, live) };
  if (mergeFrom === undefined) return undefined;
  const merged = mergedWith(object, live, mergeFrom);
  return { object: merged, merged };
}

/** Whether it would be deleted, if nobody else has it. */
function isToGo(manifest: DesiredManifest, { metadata }: Stored): boolean {
  return isTombstone(manifest) && manifest.orphaned !== true && metadata.deletionTimestamp === undefined;
}

function isTombstone({ deleted, patch }: Pick<DesiredManifest, 'deleted' | 'patch'>): boolean {
  return deleted || (patch !== undefined && deletesTarget(patch));
}

/** Whoever has what goes with it counts only where tools do: that takes many requests. */
async function holdersOf(
  { isDropped = false, settings }: DesiredManifest,
  live: Stored,
  { api, wantedBy }: { readonly api: AnyKindApi; readonly wantedBy: Around['wantedBy'] },
): Promise<Holders> {
  const { names = [], unrecorded = [] } = (await wantedBy?.(live)) ?? {};
  const isOrdered = !isDropped || settings[ANNOTATIONS.deleteShared] === 'true';
  const contained = isOrdered ? [] : await containedHolders(live, api);
  const isUnrecorded = unrecorded.length > 0;
  return { compositions: names, tools: [...toolHolders(live), ...contained], isUnrecorded };
}

function isApplied({ deleted, patch }: DesiredManifest, { metadata }: Stored): boolean {
  return !deleted && patch === undefined && metadata.deletionTimestamp === undefined;
}

/** Of what is to go, it matters whether it exists at all, at whatever version; what cannot exist is gone. */
function read(manifest: DesiredManifest, api: AnyKindApi): Promise<Stored | undefined> {
  const { object } = manifest;
  return isTombstone(manifest) ? api.find(refOf(object)) : api.get(refOf(object));
}

/** Rejects with a conflict: the object has changed since it was read, and answers would not be of one moment. */
async function current(dryRun: Promise<Answer>): Promise<Answer> {
  const answer = await dryRun.catch(refusalOf);
  if (!answer.ok && answer.status.code === 409) throw new ApiError(answer.status);
  return answer;
}

/** A response with 500 that no retry changes is a refusal like others. */
function refusalOf(error: unknown): Answer {
  if (error instanceof ApiError && removedVersion(error.status) !== undefined)
    return { ok: false, status: statusWithoutValues(error.status) };
  throw error;
}
