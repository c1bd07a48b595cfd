import { type Client, isConflict, type ResourceRef } from '@kubewright/client';
import {
  type autoscalingv1,
  type autoscalingv2,
  errorText,
  type KubeObject,
  parseApiVersion,
  type Stored,
} from '@kubewright/kube';
import type { Scale } from './decide/propose-replicas.ts';

type Target = Stored<autoscalingv2.HorizontalPodAutoscaler>;

/** The scale of an autoscaler's target, of whatever kind that is. */
export type FoundScale = {
  readonly ref: ResourceRef;
  readonly object: Stored<autoscalingv1.Scale>;
  readonly scale: Scale;
};

/** As often a conflict is tried again. */
const TRIES = 5;

/** Never rejects. */
export async function readScale(
  client: Client,
  { metadata: { namespace }, spec: { scaleTargetRef } }: Target,
): Promise<FoundScale | { readonly error: string }> {
  const { kind, name, apiVersion = '' } = scaleTargetRef;
  const { group } = parseApiVersion(apiVersion);
  try {
    const ref = await client.mapper.resolve({ group, kind });
    const object = await getScale(client, ref, { namespace, name });
    const { status } = object;
    const { replicas = 0, selector = '' } = status ?? {};
    const scale = { specReplicas: object.spec.replicas ?? 0, statusReplicas: replicas, selector };
    return { ref, object, scale };
  } catch (error) {
    const unknown = (error as { readonly reason?: string }).reason === 'NoMatch';
    return { error: unknown ? `no matches for kind "${kind}" in group "${group}"` : errorText(error) };
  }
}

type Key = { readonly namespace: string | undefined; readonly name: string };

async function getScale(client: Client, ref: ResourceRef, key: Key): Promise<Stored<autoscalingv1.Scale>> {
  return (await client.get<KubeObject>(ref, key, { subresource: 'scale' })) as Stored<autoscalingv1.Scale>;
}

/** A conflict is met with the scale as it is then. */
export async function writeScale(
  client: Client,
  { ref, object }: FoundScale,
  replicas: number,
): Promise<void> {
  const { namespace, name } = object.metadata;
  let current = object;
  for (let tries = 1; ; tries++) {
    const wanted = { ...current, spec: { ...current.spec, replicas } };
    try {
      await client.update<KubeObject>(ref, wanted, { subresource: 'scale' });
      return;
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
      current = await getScale(client, ref, { namespace, name });
    }
  }
}
