import { type Client, discoverResources } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { BYSTANDER } from '../installation.ts';

/** The resourceVersion of each object, by its kind and name. */
export type Versions = ReadonlyMap<string, string>;

/** What is written whatever an operator does: by election, by nodes, and reports of what happened. */
const RESTLESS = ['Lease', 'Event', 'Node', 'CSINode', 'DecisionLog'];

export async function versionsOf(transport: Transport, client: Client): Promise<Versions> {
  const { resources } = await discoverResources(transport);
  const versions = new Map<string, string>();
  for (const { ref, verbs } of resources) {
    if (!verbs.includes('list') || !verbs.includes('watch') || RESTLESS.includes(ref.kind)) continue;
    const { items } = await client.list(ref);
    for (const item of items) {
      const { namespace = '', name, resourceVersion } = item.metadata;
      // The second client writes there.
      if (namespace === BYSTANDER) continue;
      // The API server writes into its status whether the manager responds.
      const version = ref.kind === 'APIService' ? JSON.stringify(item['spec']) : resourceVersion;
      versions.set(`${ref.kind} ${namespace}/${name}`, version);
    }
  }
  return versions;
}

/** What was created, changed or deleted. */
export function changedSince(before: Versions, after: Versions): readonly string[] {
  const all = new Set([...before.keys(), ...after.keys()]);
  return [...all].filter((object) => before.get(object) !== after.get(object));
}
