import type { KubeObject } from '@kubewright/kube';
import { numberAt, objectAt, objectsAt, statusOf, stringAt } from '../objects/read.ts';
import { failure, type GroupResource, notFound } from '../api-server-error.ts';
import type { Store } from '../storage/store.ts';

/** `--kubelet-preferred-address-types`, by default. */
const PREFERRED = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const KUBELET_PORT = 10250;

/** Where a node's kubelet listens, by its status. */
type KubeletPlace = { readonly node: string; readonly host: string; readonly port: number };

export type Kubelets = {
  /** Throws the client's error where the node has no address; `requested` is the resource of the request. */
  find(node: string, requested: GroupResource): KubeletPlace;
};

export function storedKubelets(store: Store, preferred: readonly string[] = PREFERRED): Kubelets {
  return {
    find(name, requested) {
      const node = store.collection('', 'nodes').get(name)?.object;
      // A real server names the resource of the request, not the node's.
      if (node === undefined) throw notFound({ group: requested.group, resource: requested.resource }, name);
      const port = numberAt(objectAt(statusOf(node), 'daemonEndpoints', 'kubeletEndpoint'), 'Port');
      return { node: name, host: addressOf(node, preferred), port: port > 0 ? port : KUBELET_PORT };
    },
  };
}

function addressOf(node: KubeObject, preferred: readonly string[]): string {
  const addresses = objectsAt(statusOf(node), 'addresses').map(
    (one) => [stringAt(one, 'type'), stringAt(one, 'address')] as const,
  );
  for (const wanted of preferred) {
    const found = addresses.find(([type]) => type === wanted);
    if (found !== undefined) return found[1];
  }
  const known = addresses.map(([type, address]) => `{${type} ${address}}`).join(' ');
  throw failure(500, '', `no preferred addresses found; known addresses: [${known}]`);
}
