import { isNotFound } from '@kubewright/client';
import type { JsonObject } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { isExport } from '../export/format-of.ts';
import { readExport } from '../export/read-export.ts';
import { checkpointObjects } from '../manifests/read-checkpoint.ts';
import { decryptSecret } from '../secrets/encrypt-secret.ts';
import { readKeyRing } from '../secrets/key-ring.ts';

/** The same, with the values of encrypted Secrets. Ends where there are such and no key for them. */
export async function* readDecrypted(
  source: string,
  keyFile: string | undefined,
  connect: () => Promise<Pick<CommandStage, 'client'>>,
): AsyncGenerator<JsonObject, void> {
  const ring = keyFile === undefined ? undefined : readKeyRing(keyFile);
  for await (const object of readCaptured(source, connect)) yield decryptSecret(object, ring);
}

/**
 * The objects of a checkpoint, or of an export, each verified before it is yielded; only at the end it is certain that
 * none is missing. Every call reads them anew, so that they need not be held.
 */
export async function* readCaptured(
  source: string,
  connect: () => Promise<Pick<CommandStage, 'client'>>,
): AsyncGenerator<JsonObject, void> {
  if (isExport(source)) {
    yield* readExport(source);
    return;
  }
  const { client } = await connect();
  try {
    yield* checkpointObjects(client, source);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const message = `ManifestCheckpoint "${source}", or a chunk of it, does not exist; "kubectl get mcp" lists them`;
    throw new OperatorError('NotFound', message, { cause: error });
  }
}
