import type { Client } from '@kubewright/client';
import { getOwn, isJsonObject, type JsonObject, type Named, storagev1 } from '@kubewright/kube';
import { applyMergePatch } from '@kubewright/kube/patch';
import { formatQuantity, parseQuantity, scaledQuantity } from '@kubewright/kube/quantity';
import { VERSION, VOLUME_GROUP } from '../api/annotations.ts';
import { homeOf, type StoredContent } from '../api/snapshots.ts';
import { VOLUME_RESTORE_REQUESTS, type VolumeRestoreRequest } from '../api/volume-restore-request.ts';
import { readLive } from '../requests/read-live.ts';
import { restorable } from '../volumes/restore/restorable.ts';
import { type CheckedWrite, checkWrite } from './check-write.ts';
import { namedObject } from './named-object.ts';
import { textIn } from './text-in.ts';

/** The snapshots that were taken with a checkpoint, by the names of their claims. */
export type ClaimSources = ReadonlyMap<string, StoredContent>;

/** The snapshot with the data of an object, where that is a claim and has one. */
export function sourceOf(object: Named, sources: ClaimSources | undefined): StoredContent | undefined {
  return isClaim(object) ? sources?.get(object.metadata.name) : undefined;
}

/** How far the moments of several snapshots are apart, as their driver reports them. */
export function momentsOf(sources: readonly StoredContent[]): string {
  const times = sources.flatMap(({ status }) =>
    status?.creationTime === undefined ? [] : status.creationTime,
  );
  if (times.length < sources.length) return 'of moments one after another';
  const milliseconds = times.map((time) => Number(BigInt(time) / NANOSECONDS));
  const span = Math.max(...milliseconds) - Math.min(...milliseconds);
  return `of moments ${(span / MILLISECONDS).toFixed(3)} s apart`;
}

/** In a millisecond. */
const NANOSECONDS = 1_000_000n;
/** In a second. */
const MILLISECONDS = 1000;

/** Whether a claim had a volume, of which there is no snapshot any more among those of its capture. */
export function lacksSource(captured: JsonObject, claim: Named, sources: ClaimSources | undefined): boolean {
  const { status } = captured;
  const hadVolume = isJsonObject(status) && textIn(status, 'phase') === 'Bound';
  return sources !== undefined && isClaim(claim) && hadVolume && !sources.has(claim.metadata.name);
}

function isClaim({ apiVersion, kind }: Named): boolean {
  return apiVersion === 'v1' && kind === 'PersistentVolumeClaim';
}

/**
 * A claim that is large enough for the data of its snapshot: drivers round up what a claim requests, and make no smaller
 * volume of a snapshot than the one that it is of.
 */
export function sizedFor(claim: Named, { status }: StoredContent): Named {
  const storage = requestedStorage(claim);
  const unscaled = BigInt(status?.restoreSize ?? 0);
  if (storage === '' || scaledQuantity(parseQuantity(storage), 0) >= unscaled) return claim;
  const size = formatQuantity({ unscaled, scale: 0, format: 'binary' });
  const sized = applyMergePatch(claim, { spec: { resources: { requests: { storage: size } } } });
  return isJsonObject(sized) ? (namedObject(sized) ?? claim) : claim;
}

/** How much a claim requests. */
export function requestedStorage({ spec }: JsonObject): string {
  const resources = isJsonObject(spec) ? getOwn(spec, 'resources') : undefined;
  const requests = isJsonObject(resources) ? getOwn(resources, 'requests') : undefined;
  return isJsonObject(requests) ? textIn(requests, 'storage') : '';
}

type ClaimSpec = NonNullable<VolumeRestoreRequest['spec']['pvcTemplate']['spec']>;

/** What a request says of a claim; the operator knows the rest. */
const FIELDS = ['accessModes', 'resources', 'storageClassName', 'volumeMode'];

/** The request for a claim with the data of a snapshot. */
export function newRestoreRequest(claim: Named, namespace: string, source: StoredContent) {
  const { name, labels, annotations } = claim.metadata;
  const home = homeOf(source);
  const spec = getOwn(claim, 'spec');
  const fields = Object.entries(isJsonObject(spec) ? spec : {}).filter(([key]) => FIELDS.includes(key));
  return {
    apiVersion: `${VOLUME_GROUP}/${VERSION}`,
    kind: 'VolumeRestoreRequest',
    metadata: { namespace, generateName: 'restore-' },
    spec: {
      sourceRef: {
        kind: 'VolumeSnapshotContent',
        name: source.metadata.name,
        uid: source.metadata.uid,
        ...(home !== undefined && home !== namespace && { namespace: home }),
      },
      pvcTemplate: {
        metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
        // The server has checked the claim as a whole.
        spec: Object.fromEntries(fields) as ClaimSpec,
      },
      pvcRetention: 'Keep',
      externalErrorPolicy: 'Terminal',
    },
  } as const;
}

/** Why there will be no claim with the data of its snapshot; undefined where the operator can make one. */
export async function checkSource(
  client: Client,
  claim: Named,
  namespace: string,
  sources: ClaimSources | undefined,
): Promise<CheckedWrite | undefined> {
  const source = sourceOf(claim, sources);
  if (source === undefined) return undefined;
  const request = newRestoreRequest(claim, namespace, source);
  const className = request.spec.pvcTemplate.spec.storageClassName;
  const io = { client, signal: new AbortController().signal };
  const read = className ? await readLive(io, storagev1.storageclasses, { name: className }) : undefined;
  // The operator may read classes, also where its users may not.
  if (read?.type !== 'forbidden') {
    const passage = {
      source: { type: 'found', object: source },
      ...(read && { storageClass: read }),
    } as const;
    const found = restorable(request, passage);
    if ('reason' in found)
      return { type: 'rejected', message: `its data cannot be restored: ${found.message}` };
  }
  const checked = await checkWrite(() => client.create(VOLUME_RESTORE_REQUESTS, request, { dryRun: true }));
  return checked.type === 'rejected' ? checked : undefined;
}
