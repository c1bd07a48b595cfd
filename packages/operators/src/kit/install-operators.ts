import type { Client } from '@kubewright/client';
import { type KubeObject, parseApiVersion } from '@kubewright/kube';
import { installDefinitions, type WaitOptions } from '@kubewright/runtime';
import { FIELD_MANAGER, type InstallOptions, installObjects } from './install-objects.ts';
import { managerRoles } from './manager-roles.ts';
import type { OperatorParts } from './operator.ts';

/**
 * Applies what operators need on a cluster before their manager starts, and `more`; resolves when their custom
 * resources are served. Their WebhookConfigurations follow when it serves ({@link installWebhooks}).
 */
export async function installOperators(
  client: Client,
  operators: readonly OperatorParts[],
  { more = [], ...options }: InstallOptions & WaitOptions & { readonly more?: readonly KubeObject[] } = {},
): Promise<void> {
  const definitions = operators.flatMap(({ resources }) => resources.map(({ definition }) => definition));
  await installDefinitions(client, definitions, { ...options, fieldManager: FIELD_MANAGER });
  const write = { fieldManager: FIELD_MANAGER, force: true, signal: options.signal };
  const installed = new Set<KubeObject>(definitions);
  const objects = [...installObjects(operators, options), ...managerRoles(operators, options), ...more];
  for (const object of objects) {
    if (installed.has(object)) continue;
    const { apiVersion, kind } = object;
    await client.apply({ ...parseApiVersion(apiVersion), kind }, object, write);
  }
}
