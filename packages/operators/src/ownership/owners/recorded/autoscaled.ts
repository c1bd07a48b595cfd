import { ApiError, type Client } from '@kubewright/client';
import { autoscalingv2, parseApiVersion, type Stored } from '@kubewright/kube';

/** Whether an autoscaler writes the replicas of an object; true where that cannot be known. */
export type IsScaled = (live: Stored) => boolean;

/** Reads the autoscalers of these namespaces. */
export async function findScaled(
  client: Pick<Client, 'list'>,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<IsScaled> {
  const targets = new Set<string>();
  const unknown = new Set<string>();
  for (const namespace of namespaces) {
    const found = await targetsIn(client, namespace, signal);
    if (found === undefined) unknown.add(namespace);
    for (const target of found ?? []) targets.add(target);
  }
  return ({ apiVersion, kind, metadata: { namespace = '', name } }) =>
    unknown.has(namespace) || targets.has(keyOf(namespace, apiVersion, kind, name));
}

/** Undefined where they may not be listed. */
async function targetsIn(
  client: Pick<Client, 'list'>,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const { items } = await client.list(autoscalingv2.horizontalpodautoscalers, { namespace, signal });
    return items.flatMap(({ spec }) => {
      const target = spec?.scaleTargetRef;
      return target === undefined
        ? []
        : [keyOf(namespace, target.apiVersion ?? '', target.kind, target.name)];
    });
  } catch (error) {
    if (error instanceof ApiError && [403, 404].includes(error.code)) return undefined;
    throw error;
  }
}

function keyOf(namespace: string, apiVersion: string, kind: string, name: string): string {
  return JSON.stringify([namespace, parseApiVersion(apiVersion).group, kind, name]);
}
