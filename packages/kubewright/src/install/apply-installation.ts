import { ApiError, isFieldConflict, isNotFound } from '@kubewright/client';
import { type KubeObject, parseApiVersion } from '@kubewright/kube';
import { type CommandStage, MANAGER, OperatorError } from '@kubewright/operators';
import { untilServed } from '@kubewright/runtime';

const DEFINITION = 'CustomResourceDefinition';

/**
 * Applies the objects of an installation on the server, in their order. What others own of them stays theirs: that is a conflict,
 * unless it is forced. Applied again, they are not written.
 */
export async function applyInstallation(
  { client, dryRun, progress, signal }: Pick<CommandStage, 'client' | 'dryRun' | 'progress' | 'signal'>,
  objects: readonly KubeObject[],
  force: boolean,
): Promise<void> {
  for (const [index, object] of objects.entries()) {
    signal.throwIfAborted();
    progress(`applying ${index + 1} of ${objects.length}: ${titleOf(object)}`);
    const ref = { ...parseApiVersion(object.apiVersion), kind: object.kind };
    try {
      await client.apply(ref, object, { fieldManager: MANAGER, force, signal });
    } catch (error) {
      // Nothing was stored, the namespace neither.
      if (dryRun !== undefined && isNotFound(error) && object.metadata.namespace !== undefined) continue;
      throw explain(error, object);
    }
  }
  if (dryRun !== undefined) return;
  for (const { kind, metadata } of objects)
    if (kind === DEFINITION) await untilServed(client, metadata.name ?? '', { signal });
}

function titleOf({ kind, metadata: { name = '' } }: KubeObject): string {
  return `${kind} ${name}`;
}

/** The error in one line, with the next step. */
function explain(error: unknown, object: KubeObject): unknown {
  if (!(error instanceof ApiError)) return error;
  const what = `${titleOf(object)} was not applied: ${error.message}`;
  if (isFieldConflict(error))
    return new OperatorError('Failed', `${what}; to take these fields: --force-conflicts`, { cause: error });
  if (error.code === 403)
    return new OperatorError('Forbidden', `${what}; run it as an administrator of the cluster`, {
      cause: error,
    });
  if (error.reason === 'NoMatch' || error.code === 404)
    return new OperatorError('NotFound', `${what}; install what serves ${object.kind} first`, {
      cause: error,
    });
  return error;
}
