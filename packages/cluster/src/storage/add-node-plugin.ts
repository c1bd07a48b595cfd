import { isAlreadyExists } from '@kubewright/client';
import { corev1, storagev1, type Stored } from '@kubewright/kube';
import { type Manager, watchKind } from '@kubewright/runtime';
import type { DriverOptions } from './driver-options.ts';
import { AFTER_WRITE } from './look-after.ts';

/** Tells of the driver on each node, as kubelets do when its plugin registers. */
export function addNodePlugin(manager: Manager, { name, topologyKey, backoff }: DriverOptions): void {
  const { cache, client } = manager;
  cache.informer(storagev1.csinodes);
  manager.addController({
    name: 'node-plugin',
    backoff,
    sources: [watchKind(corev1.nodes, { predicates: [({ type }) => type !== 'Update'] })],
    reconciler: {
      async reconcile(request) {
        const node = cache.get(corev1.nodes, request);
        if (node === undefined) return {};
        const known = cache.get(storagev1.csinodes, request);
        const topologyKeys = topologyKey === undefined ? {} : { topologyKeys: [topologyKey] };
        const driver = { name, nodeID: request.name, ...topologyKeys };
        if (known === undefined) {
          await client.create(storagev1.csinodes, csiNode(node, driver)).catch((error: unknown) => {
            if (!isAlreadyExists(error)) throw error;
          });
        } else if (!known.spec.drivers.some((one) => one.name === name)) {
          const drivers = [...known.spec.drivers, driver];
          await client.update(storagev1.csinodes, { ...known, spec: { drivers } });
          return AFTER_WRITE;
        }
        return {};
      },
    },
  });
}

function csiNode({ metadata }: Stored<corev1.Node>, driver: storagev1.CSINodeDriver): storagev1.CSINode {
  const { name, uid } = metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }];
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name, ownerReferences },
    spec: { drivers: [driver] },
  };
}
