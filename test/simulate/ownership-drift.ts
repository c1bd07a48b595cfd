import { isNotFound, sleep } from '@kubewright/client';
import type { ScenarioContext } from '@kubewright/cluster';
import type { KubeObject } from '@kubewright/kube';
import { at, NAMESPACE } from './ownership-objects.ts';

const CONFIG_MAPS = { group: '', version: 'v1', kind: 'ConfigMap' };
const DRIFTING = { namespace: NAMESPACE, name: 'drifting' };
const VALUE = 'wanted';
/** Most objects are as the last look left them by then. */
const AT_REST_MS = 10_000;

/** A ConfigMap that others change or delete when it has been at rest. */
export const driftingManifest: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...DRIFTING, annotations: { 'eno.azure.io/readiness-group': '0' } },
  data: { value: VALUE },
};

/** Somebody changes it, or deletes it. */
export async function drift({ client, clock, random }: ScenarioContext): Promise<void> {
  await sleep(clock, random.below(AT_REST_MS));
  try {
    if (random.below(2) === 0) await client.delete(CONFIG_MAPS, DRIFTING);
    else
      await client.patch(
        CONFIG_MAPS,
        DRIFTING,
        { type: 'merge', body: { data: { value: 'drifted' } } },
        { fieldManager: 'kubectl-edit' },
      );
  } catch (error) {
    // It is not there yet.
    if (!isNotFound(error)) throw error;
  }
}

export async function missingOfDrift({ client }: ScenarioContext): Promise<string | undefined> {
  const { items } = await client.list<KubeObject>(CONFIG_MAPS, { namespace: NAMESPACE });
  const live = items.find(({ metadata }) => metadata.name === DRIFTING.name);
  if (live === undefined) return 'what somebody deleted is not there again';
  return at(live, 'data', 'value') === VALUE ? undefined : 'what somebody changed is not as it was';
}
