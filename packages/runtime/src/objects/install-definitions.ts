import { type Client, ignoreNotFound } from '@kubewright/client';
import { apiextensionsv1, type KubeObject, type Named } from '@kubewright/kube';
import { applyObject } from './apply-object.ts';
import { type WaitOptions, waitForObject } from './wait-for-object.ts';

const DEFINITIONS = apiextensionsv1.customresourcedefinitions;

/** How often a client for the set-up of a manager retries: where no server responds, the error is due within a second. */
export const SET_UP_RETRIES = 3;

/**
 * Applies CustomResourceDefinitions and waits until the server serves their resources. Updates definitions of an earlier
 * version too: fields that these lack would be pruned from a controller's writes. Those that are there already are not
 * written.
 */
export async function installDefinitions(
  client: Client,
  definitions: readonly Named[],
  { fieldManager, ...wait }: WaitOptions & { readonly fieldManager: string },
): Promise<void> {
  for (const definition of definitions) {
    const { name } = definition.metadata;
    const live = await ignoreNotFound(client.get(DEFINITIONS, { name }, { signal: wait.signal }));
    await applyObject<KubeObject>({ client }, DEFINITIONS, definition, {
      live,
      fieldManager,
      signal: wait.signal,
    });
    await untilServed(client, name, wait);
  }
}

/** Resolves when the server serves the resources of a CustomResourceDefinition: it accepts one before that. */
export async function untilServed(client: Client, name: string, options: WaitOptions): Promise<void> {
  const isServed = (live?: apiextensionsv1.CustomResourceDefinition): boolean =>
    (live?.status?.conditions ?? []).some(({ type, status }) => type === 'Established' && status === 'True');
  await waitForObject(client, DEFINITIONS, { name }, isServed, options);
}
