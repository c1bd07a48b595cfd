import { isNotFound } from '@kubewright/client';
import type { JsonObject } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { readExport } from '../export/read-export.ts';
import { decryptSecret } from '../secrets/encrypt-secret.ts';
import { readKeyRing } from '../secrets/key-ring.ts';
import { readCheckpoint } from '../manifests/read-checkpoint.ts';

/** The same, with the values of encrypted Secrets. Rejects where there are such and no key for them. */
export async function readDecrypted(
  source: string,
  keyFile: string | undefined,
  connect: () => Promise<Pick<CommandStage, 'client'>>,
): Promise<readonly JsonObject[]> {
  const ring = keyFile === undefined ? undefined : readKeyRing(keyFile);
  return (await readCaptured(source, connect)).map((object) => decryptSecret(object, ring));
}

/** The verified objects of a checkpoint, or of an export: a name with a `/` in it is a folder. */
export async function readCaptured(
  source: string,
  connect: () => Promise<Pick<CommandStage, 'client'>>,
): Promise<readonly JsonObject[]> {
  if (source.includes('/')) return readExport(source);
  const { client } = await connect();
  return readCheckpoint(client, source).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const message = `ManifestCheckpoint "${source}", or a chunk of it, does not exist; "kubectl get mcp" lists them`;
    throw new OperatorError('NotFound', message, { cause: error });
  });
}
