import { type Client, ignoreNotFound, systemClock } from '@kubewright/client';
import { isJsonObject, type JsonObject, type KubeObject } from '@kubewright/kube';
import { dryRunClient } from '../../kit/dry-run-client.ts';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { CONTENT_CHUNKS } from '../api/content-chunk.ts';
import {
  type ChunkStatus,
  MANIFEST_CHECKPOINTS,
  type ManifestCheckpoint,
} from '../api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS, type ObjectKeeper } from '../api/object-keeper.ts';
import { completeStatus, importedCheckpoint, judgeChunk, newChunk } from '../manifests/new-checkpoint.ts';
import { type PackedChunk, packObjects } from '../manifests/pack-objects.ts';
import { namedObject } from '../restore/named-object.ts';
import { textIn } from '../restore/text-in.ts';
import { readCaptured } from './read-captured.ts';
import { readLeftOut } from './read-left-out.ts';
import { createTtlKeeper, ttlIn } from './create-ttl-keeper.ts';
import { withProgress } from './with-progress.ts';

/**
 * `kubewright capture import EXPORT`: a checkpoint of exported objects, in any cluster. Everything is verified before
 * the first write, and read again for the second, so that it need not be held.
 */
export async function importCheckpoint(
  { args: [source = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const ttl = ttlIn(options);
  const stage = await connect();
  const read = (does: string): AsyncIterable<JsonObject> =>
    withProgress(
      readCaptured({ source, signal: stage.signal }, async () => stage),
      stage,
      does,
    );
  const { namespace, chunks } = await planOf(read('verified'));
  const leftOut = await readLeftOut({ source, signal: stage.signal }, connect);
  const client = dryRunClient(stage.client, stage.dryRun);
  const keeper = await createTtlKeeper(client, 'import-', ttl);
  try {
    const made = importedCheckpoint(namespace, keeper, chunks, leftOut);
    const checkpoint = await client.create(MANIFEST_CHECKPOINTS, made);
    if (stage.dryRun === undefined) await fill(client, checkpoint, packObjects(named(read('written'))));
    printImported(stage, { name: checkpoint.metadata.name, objects: made.spec.plan.totalObjects, ttl });
  } catch (error) {
    await discard(client, keeper);
    throw error;
  }
}

function printImported(
  { print, dryRun }: CommandStage,
  { name, objects, ttl }: { readonly name: string; readonly objects: number; readonly ttl: string },
): void {
  const has = dryRun === undefined ? 'has' : 'would have';
  print({
    json: { checkpoint: name, objects, ttl, written: dryRun === undefined },
    text: () => printable(`ManifestCheckpoint ${name} ${has} ${objects} objects, and stays for ${ttl}\n`),
  });
}

type ImportPlan = {
  readonly namespace: string;
  readonly chunks: readonly Pick<PackedChunk, 'objectsCount' | 'plainChecksum'>[];
};

async function planOf(objects: AsyncIterable<JsonObject>): Promise<ImportPlan> {
  let namespace = '';
  const noting = async function* (): AsyncGenerator<JsonObject, void> {
    for await (const object of objects) {
      const { metadata } = object;
      if (namespace === '' && isJsonObject(metadata)) namespace = textIn(metadata, 'namespace');
      yield object;
    }
  };
  const chunks: { objectsCount: number; plainChecksum: string }[] = [];
  for await (const { objectsCount, plainChecksum } of packObjects(named(noting())))
    chunks.push({ objectsCount, plainChecksum });
  return { namespace, chunks };
}

async function* named(objects: AsyncIterable<JsonObject>): AsyncGenerator<KubeObject, void> {
  for await (const object of objects) {
    const found = namedObject(object);
    if (found === undefined)
      throw new OperatorError('Failed', 'an object of the export has no apiVersion, kind and name');
    yield found;
  }
}

/** Ready is the commit, as for every checkpoint: until then nobody reads it. */
async function fill(
  client: Client,
  checkpoint: ManifestCheckpoint,
  chunks: AsyncIterable<PackedChunk>,
): Promise<void> {
  const kept: ChunkStatus[] = [];
  for await (const chunk of chunks) {
    const stored = await client.create(CONTENT_CHUNKS, newChunk(checkpoint, kept.length, chunk));
    const judged = judgeChunk(checkpoint, kept.length, stored);
    if (judged.type === 'wrong') throw new OperatorError('Failed', judged.message);
    kept.push(judged.status);
  }
  const { name } = checkpoint.metadata;
  const body = { status: completeStatus(checkpoint, kept, new Date(systemClock.now())) };
  const options = { subresource: 'status' };
  await client.patch(MANIFEST_CHECKPOINTS, { name }, { type: 'merge', body }, options);
}

/** The garbage collector deletes what the keeper owns. */
async function discard(client: Client, { metadata: { name, uid } }: ObjectKeeper): Promise<void> {
  await ignoreNotFound(client.delete(OBJECT_KEEPERS, { name }, { preconditions: { uid } }));
}
