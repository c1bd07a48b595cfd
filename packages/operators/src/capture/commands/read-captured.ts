import { isNotFound } from '@kubewright/client';
import type { JsonObject } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { readNamed } from '../../kit/read-documents.ts';
import { OperatorError } from '../../operator-error.ts';
import { isExport } from '../export/format-of.ts';
import { readExport } from '../export/read-export.ts';
import { checkpointObjects, type Wanted } from '../manifests/read-checkpoint.ts';
import { decryptSecret } from '../secrets/encrypt-secret.ts';
import { type KeyRing, parseKeyRing } from '../secrets/key-ring.ts';

/** The keys of `--key-file`, which may be a pipe. */
export async function readKeys(
  keyFile: string | undefined,
  { signal }: { readonly signal: AbortSignal },
): Promise<KeyRing | undefined> {
  if (keyFile === undefined) return undefined;
  return parseKeyRing((await readNamed(keyFile, { signal })).toString('utf8'), keyFile);
}

/** A checkpoint's name, or where an export is; and what ends reading it. */
export type Source = { readonly source: string; readonly signal: AbortSignal };

/** The same, with the values of encrypted Secrets. Ends where there are such and no key for them. */
export async function* readDecrypted(
  source: Source,
  ring: KeyRing | undefined,
  connect: () => Promise<Pick<CommandStage, 'client'>>,
  wanted?: Wanted,
): AsyncGenerator<JsonObject, void> {
  for await (const object of readCaptured(source, connect, wanted)) yield decryptSecret(object, ring);
}

/**
 * The objects of a checkpoint, or of an export, each verified before it is yielded; only at the end it is certain that
 * none is missing. Every call reads them anew, so that they need not be held; where some are wanted, only those.
 */
export async function* readCaptured(
  { source, signal }: Source,
  connect: () => Promise<Pick<CommandStage, 'client'>>,
  wanted?: Wanted,
): AsyncGenerator<JsonObject, void> {
  if (isExport(source)) {
    yield* readExport(source, { signal, wanted });
    return;
  }
  const { client } = await connect();
  try {
    yield* checkpointObjects(client, source, wanted);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const message = `ManifestCheckpoint "${source}", or a chunk of it, does not exist; "kubectl get mcp" lists them`;
    throw new OperatorError('NotFound', message, { cause: error });
  }
}
