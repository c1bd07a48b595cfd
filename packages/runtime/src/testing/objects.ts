import type { Stored } from '@kubewright/kube';

/** A ConfigMap of namespace `ns` as a server would send it. */
export function configMap(name: string, resourceVersion: string, more: Record<string, string> = {}): Stored {
  const { uid = `uid-${name}`, ...data } = more;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'ns', uid, resourceVersion },
    data,
  };
}
