import type { Client } from '@kubewright/client';
import { type KubeObject, parseApiVersion } from '@kubewright/kube';
import { installDefinitions, type WaitOptions } from '@kubewright/runtime';
import { FIELD_MANAGER, type InstallOptions, installObjects } from './install-objects.ts';
import { managerRoles } from './manager-roles.ts';
import type { OperatorParts } from './operator.ts';

type AccountOptions = InstallOptions & WaitOptions & { readonly more?: readonly KubeObject[] };

/**
 * Applies what operators need on a cluster before their manager starts, and `more`. Resolves when their custom
 * resources are served. Their WebhookConfigurations follow once the manager serves ({@link installWebhooks}).
 */
export async function installOperators(
  client: Client,
  operators: readonly OperatorParts[],
  options: AccountOptions = {},
): Promise<void> {
  const definitions = operators.flatMap((operator) => definitionsOf(operator));
  await installDefinitions(client, definitions, { ...options, fieldManager: FIELD_MANAGER });
  await installAccounts(client, operators, options);
}

/** The same without the CustomResourceDefinitions: service accounts, roles and bindings. */
export async function installAccounts(
  client: Client,
  operators: readonly OperatorParts[],
  { more = [], ...options }: AccountOptions = {},
): Promise<void> {
  const write = { fieldManager: FIELD_MANAGER, force: true, signal: options.signal };
  const definitions = new Set<KubeObject>(operators.flatMap((operator) => definitionsOf(operator)));
  const objects = [...installObjects(operators, options), ...managerRoles(operators, options), ...more];
  for (const object of objects) {
    if (definitions.has(object)) continue;
    const { apiVersion, kind } = object;
    await client.apply({ ...parseApiVersion(apiVersion), kind }, object, write);
  }
}

function definitionsOf({ resources }: OperatorParts) {
  return resources.map(({ definition }) => definition);
}
