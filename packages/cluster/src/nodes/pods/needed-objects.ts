import { type Client, type Clock, ignoreNotFound, type Ref } from '@kubewright/client';
import { corev1, type KubeObject } from '@kubewright/kube';
import { ROOT_CA_CONFIG_MAP } from '../../controllers/root-ca/decide.ts';
import type { Need } from './needs.ts';

const REFS: Readonly<Record<Need['kind'], Ref>> = {
  ConfigMap: corev1.configmaps,
  Secret: corev1.secrets,
  PersistentVolumeClaim: corev1.persistentvolumeclaims,
};

/** How nodes read what their pods need. */
export type NeededObjects = {
  read(client: Client, need: Need, namespace: string): Promise<KubeObject | undefined>;
};

/** How long a node uses the certificates of a namespace without another look. */
const FRESH_MS = 60_000;

/**
 * Each pod that has a token needs the certificates of its namespace, and they stay as they are: all nodes read them once a
 * minute, and everything else, and what is missing, whenever a pod needs it. A kubelet watches what its pods need.
 */
export function neededObjects(clock: Clock): NeededObjects {
  const certificates = new Map<string, { readonly object: KubeObject; readonly at: number }>();
  return {
    async read(client, { kind, name }, namespace) {
      const isShared = kind === 'ConfigMap' && name === ROOT_CA_CONFIG_MAP;
      const known = isShared ? certificates.get(namespace) : undefined;
      if (known !== undefined && clock.monotonic() - known.at < FRESH_MS) return known.object;
      const object = await ignoreNotFound(client.get<KubeObject>(REFS[kind], { namespace, name }));
      if (isShared && object !== undefined) certificates.set(namespace, { object, at: clock.monotonic() });
      return object;
    },
  };
}
