import { ApiError, type Client } from '@kubewright/client';
import { errorText } from '@kubewright/kube';
import { MANAGER } from '@kubewright/operators';
import { installDefinitions, RuntimeError } from '@kubewright/runtime';
import type { LoadedOperator, OperatorHealth } from './operator-health.ts';

/**
 * Brings the CustomResourceDefinitions of each operator up to date. Where the server rejects those of one, its kinds may
 * be there all the same (an administrator has installed them), or it waits for them; the others go on.
 */
export async function installKinds(
  client: Client,
  operators: readonly LoadedOperator[],
  { trouble, signal }: { readonly trouble: OperatorHealth; readonly signal: AbortSignal },
): Promise<void> {
  const installs = operators.map(async ({ name, parts }) => {
    const definitions = parts.resources.map(({ definition }) => definition);
    await installDefinitions(client, definitions, { fieldManager: MANAGER, signal }).catch(
      (error: unknown) => {
        if (signal.aborted || !isOfOneOperator(error)) throw error;
        trouble.report(name, 'its CustomResourceDefinitions were not installed', errorText(error));
      },
    );
  });
  await Promise.all(installs);
}

/** A server that is not there, or does not know the user, is everybody's trouble. */
function isOfOneOperator(error: unknown): boolean {
  if (error instanceof RuntimeError) return error.code === 'TimedOut';
  return error instanceof ApiError && [403, 404, 409, 422].includes(error.code);
}
