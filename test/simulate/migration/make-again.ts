import { ApiError, ignoreNotFound, type ObjectKey, sleep } from '@kubewright/client';
import type { ScenarioContext } from '@kubewright/cluster';
import { corev1, type KubeObject } from '@kubewright/kube';
import { NAMESPACE, type Workload } from './manifests.ts';
import { isOver } from './migration-of.ts';

/** Until the first look that finds no pod, and after that. */
const [SOON_MS, LATER_MS] = [20, 1000];

/**
 * Somebody, as a tool that applies manifests, makes the pod again whenever there is none, until the migration is over: at once the
 * first time, and later at each look.
 */
export async function makeAgain(
  context: ScenarioContext,
  { name, object }: Workload,
  { migration, isWanted = false }: { readonly migration: ObjectKey; readonly isWanted?: boolean | undefined },
): Promise<void> {
  if (!isWanted) return;
  const { client, clock, signal } = context;
  let everyMs = SOON_MS;
  while (!signal.aborted && !(await isOver(context, migration))) {
    const pod = await ignoreNotFound(client.get(corev1.pods, { namespace: NAMESPACE, name }));
    if (pod === undefined) {
      await client.create<KubeObject>(corev1.pods, object()).catch(isThere);
      everyMs = LATER_MS;
    }
    await sleep(clock, everyMs);
  }
}

/** The operator was faster. */
function isThere(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 409) throw error;
}
