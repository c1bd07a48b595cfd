import { ApiError } from '@kubewright/client';
import { isJsonObject, type JsonObject, KubeError, parseApiVersion } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { compareObjects } from '../export/compare-objects.ts';
import { identityOf } from '../export/file-of.ts';
import { foundIn, readLive } from '../requests/read-live.ts';
import { readDecrypted, readKeys } from './read-captured.ts';
import { withProgress } from './with-progress.ts';

/** `kubewright capture diff SOURCE`: what has changed since. Exits as `kubectl diff` does. */
export async function diffCheckpoint(
  { args: [source = ''], options: { keyFile } }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const stage = await connect();
  const ring = await readKeys(keyFile, stage);
  let [changed, count] = [0, 0];
  const captured = readDecrypted({ source, signal: stage.signal }, ring, connect);
  for await (const object of withProgress(captured, stage, 'compared')) {
    count++;
    const live = await readObject(object, stage);
    const text = compareObjects(object, live);
    if (text === '') continue;
    changed++;
    const { kind, name } = identityOf(object);
    stage.out(printable(`--- captured ${kind}/${name}\n+++ ${live ? 'live' : 'not found'}\n${text}`));
  }
  if (changed > 0)
    throw new OperatorError('Differs', `${changed} of ${count} objects differ from the cluster`);
  stage.out(`${count} objects are as they were captured\n`);
}

/** The live object of the same name; undefined also where its kind is no longer served. */
async function readObject(
  captured: JsonObject,
  { client, signal }: CommandStage,
): Promise<JsonObject | undefined> {
  const { apiVersion, kind, name } = identityOf(captured);
  const { metadata } = captured;
  const namespace = isJsonObject(metadata) ? metadata['namespace'] : undefined;
  try {
    const resource = await client.mapper.resolve({ ...parseApiVersion(apiVersion), kind });
    const key = typeof namespace === 'string' ? { namespace, name } : { name };
    const read = await readLive({ client, signal }, resource, key);
    if (read.type === 'forbidden') throw new OperatorError('Forbidden', read.message);
    return foundIn(read);
  } catch (error) {
    const isUnserved = error instanceof ApiError && error.reason === 'NoMatch';
    if (isUnserved || error instanceof KubeError) return undefined;
    throw error;
  }
}
