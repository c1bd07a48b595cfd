import { type Client, ignoreNotFound } from '@kubewright/client';
import { corev1, type Stored } from '@kubewright/kube';
import { OperatorError } from '../operator-error.ts';
import type { StatefulMigration } from './api.ts';
import { isImageByDigest } from './checkpoints/order-in.ts';
import type { NodeAgents } from './checkpoints/node-agents.ts';
import type { LivePod, ObservedNodes } from './decide/observed-migration.ts';
import { containerOf } from './decide/steps/preflight.ts';

type Asked = {
  /** The source. */
  readonly named: LivePod;
  /** The target, if it exists. */
  readonly node: Stored<corev1.Node> | undefined;
};

/**
 * What the agents of both nodes say; undefined where there are none, or no target. Only Nodes that exist are asked: names
 * in pods and migrations are their users', and the agents' token must not go to a host that these choose.
 */
export async function observeNodes(
  migration: StatefulMigration,
  { named, node: target }: Asked,
  { client, agents }: { readonly client: Client; readonly agents: NodeAgents | undefined },
): Promise<ObservedNodes | undefined> {
  if (agents === undefined || target === undefined) return undefined;
  const source = await nodeNamed(named.spec.nodeName, client);
  try {
    const [ofSource, ofTarget] = await Promise.all([
      source && agents.facts(source.metadata.name),
      agents.facts(target.metadata.name, baseImageOf(migration, named)),
    ]);
    return { type: 'reached', source: ofSource, target: ofTarget };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { type: 'unavailable', message: error.message };
  }
}

async function nodeNamed(name: string | undefined, client: Client): Promise<Stored<corev1.Node> | undefined> {
  return name ? ignoreNotFound(client.get(corev1.nodes, { name })) : undefined;
}

/** By digest; undefined where the source's runtime does not say it, as of a process that was restored. */
function baseImageOf(migration: StatefulMigration, pod: LivePod): string | undefined {
  const name = containerOf(migration, pod);
  const { imageID = '' } = (pod.status?.containerStatuses ?? []).find((one) => one.name === name) ?? {};
  return isImageByDigest(imageID) && !imageID.startsWith('localhost/') ? imageID : undefined;
}
