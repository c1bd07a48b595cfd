import type { Client, Discovered, ListOptions, Ref } from '@kubewright/client';
import { corev1, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import type { CommandStage } from '../../../kit/operator.ts';
import { OperatorError } from '../../../operator-error.ts';
import { decodeRelease, type Release } from './decode-release.ts';
import { type ManifestObject, manifestObjects, objectKey } from './manifest-objects.ts';
import type { ToolRecord } from './tool-record.ts';

/** Helm keeps ten revisions by default. */
const REVISIONS = 20;
/** Records per page: each may be of a megabyte. */
const PAGE = 5;

/** One revision, as it is stored. */
type StoredRevision = { readonly revision: number; readonly source: string; readonly text: () => string };

/** The record of a Helm release, from the Secrets (or ConfigMaps) in which Helm stores its revisions. */
export async function readRelease(name: string, stage: CommandStage): Promise<ToolRecord> {
  const { namespace, client, signal } = stage;
  const where = { namespace, labelSelector: `owner=helm,name=${name}`, signal };
  const stored = await storedRevisions(where, client);
  const [newest] = stored;
  if (newest === undefined)
    throw new OperatorError(
      'NotFound',
      `there is no Helm release "${name}" in namespace ${namespace}; choose another with -n`,
    );
  const { resources } = await stage.discover();
  const current = decodeRelease(newest.text(), newest.source);
  if (current.status.startsWith('pending'))
    throw new OperatorError(
      'Failed',
      `revision ${current.revision} of ${name} is ${current.status}: Helm works on it, or was interrupted; see helm history ${name}`,
    );
  const { manifests, notes } = readEarlier(stored.slice(1), resources);
  return {
    title: titleOf(name, current),
    managers: ['helm', 'helm-controller'],
    objects: objectsIn(current, resources).map((object) => ({
      ...object,
      earlier: manifests.get(objectKey(object)) ?? [],
    })),
    notes: [...notes, ...(current.isServerSide ? [] : [CLIENT_SIDE])],
    next: current.isServerSide ? 'helm upgrade' : 'helm upgrade --server-side=true',
  };
}

async function storedRevisions(where: ListOptions, client: Client): Promise<readonly StoredRevision[]> {
  const secrets = await listed(client, corev1.secrets, where, (secret) =>
    Buffer.from(secret.data?.['release'] ?? '', 'base64').toString('latin1'),
  );
  if (secrets.length > 0) return secrets;
  return listed(client, corev1.configmaps, where, (configMap) => configMap.data?.['release'] ?? '');
}

/** The newest revisions first; only so many are in memory at a time. */
async function listed<T extends KubeObject>(
  client: Client,
  ref: Ref<T>,
  where: ListOptions,
  read: (object: Stored<T>) => string,
): Promise<readonly StoredRevision[]> {
  let newest: readonly StoredRevision[] = [];
  let next: string | undefined;
  do {
    const page = await client.list(ref, {
      ...where,
      limit: PAGE,
      ...(next !== undefined && { continue: next }),
    });
    const found = page.items.map((object) => ({
      revision: Number(object.metadata.labels?.['version'] ?? 0),
      source: `${object.kind} ${object.metadata.name}`,
      text: () => read(object),
    }));
    newest = [...newest, ...found].toSorted((a, b) => b.revision - a.revision).slice(0, REVISIONS);
    next = page.continue;
  } while (next !== undefined);
  return newest;
}

/** The manifests of earlier revisions, by object. */
type Earlier = {
  readonly manifests: ReadonlyMap<string, readonly JsonObject[]>;
  readonly notes: readonly string[];
};

/** A record that cannot be read is no reason to do without the others. */
function readEarlier(stored: readonly StoredRevision[], resources: Discovered['resources']): Earlier {
  const manifests = new Map<string, JsonObject[]>();
  const notes: string[] = [];
  for (const { text, source } of stored) {
    try {
      for (const object of objectsIn(decodeRelease(text(), source), resources)) {
        const key = objectKey(object);
        manifests.set(key, [...(manifests.get(key) ?? []), object.manifest]);
      }
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      notes.push(`${error.message}; what it applied is not known`);
    }
  }
  return { manifests, notes: [...notes, ...reachOf(stored)] };
}

function reachOf(stored: readonly StoredRevision[]): readonly string[] {
  const oldest = stored.at(-1)?.revision;
  if (oldest === undefined) return ['there is no earlier revision, so this release has dropped nothing'];
  return oldest > 1 ? [`Helm has no record of what was applied before revision ${oldest}`] : [];
}

function objectsIn(release: Release, resources: Discovered['resources']): readonly ManifestObject[] {
  const { manifest, revision, namespace } = release;
  return manifestObjects(manifest, `the manifest of revision ${revision}`, { namespace, resources });
}

function titleOf(name: string, { revision, status, isServerSide, namespace }: Release): string {
  const method = isServerSide ? 'server-side' : 'client-side';
  return `Helm release ${name} in ${namespace}, revision ${revision} (${status}, ${method})`;
}

const CLIENT_SIDE =
  'this release is applied client-side: Helm removes what a chart drops whoever owns it, but only in the upgrade that drops it';
