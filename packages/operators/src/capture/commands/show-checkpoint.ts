import { isNotFound } from '@kubewright/client';
import { isJsonObject, type JsonObject } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { readCheckpoint } from '../manifests/read-checkpoint.ts';

/** `kubewright capture show CHECKPOINT`: verifies every chunk before it prints anything. */
export async function showCheckpoint(
  { args: [name = ''] }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { client, print } = await connect();
  const objects = await readCheckpoint(client, name).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const message = `ManifestCheckpoint "${name}", or a chunk of it, does not exist; "kubectl get mcp" lists them`;
    throw new OperatorError('NotFound', message, { cause: error });
  });
  print({ json: objects, text: () => printable(`${objects.map(titleOf).join('\n')}\n`) });
}

function titleOf({ kind, metadata }: JsonObject): string {
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  return `${typeof kind === 'string' ? kind : '?'}/${typeof name === 'string' ? name : '?'}`;
}
