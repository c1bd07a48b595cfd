import type { Client } from '@kubewright/client';
import { corev1, type KubeObject, parseApiVersion } from '@kubewright/kube';
import { installDefinitions, type WaitOptions } from '@kubewright/runtime';
import { type InstallOptions, installObjects, NAMESPACE } from './install-objects.ts';
import type { OperatorParts } from './operator.ts';

const FIELD_MANAGER = 'kubewright';

/** Applies what operators need on a cluster, and `more`; resolves when their custom resources are served. */
export async function installOperators(
  client: Client,
  operators: readonly OperatorParts[],
  { more = [], ...options }: InstallOptions & WaitOptions & { readonly more?: readonly KubeObject[] } = {},
): Promise<void> {
  const { namespace = NAMESPACE, signal } = options;
  const definitions = operators.flatMap(({ resources }) => resources.map(({ definition }) => definition));
  await installDefinitions(client, definitions, { ...options, fieldManager: FIELD_MANAGER });
  const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } } as const;
  const write = { fieldManager: FIELD_MANAGER, force: true, signal };
  await client.apply(corev1.namespaces, home, write);
  const others = operators.flatMap((operator) => installObjects(operator, options));
  for (const object of [...others, ...more]) {
    if (definitions.includes(object)) continue;
    const { apiVersion, kind } = object;
    await client.apply({ ...parseApiVersion(apiVersion), kind }, object, write);
  }
}
