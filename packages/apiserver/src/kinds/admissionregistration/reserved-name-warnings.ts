import type { KubeObject } from '@kubewright/kube';

const SUFFIX = '.static.k8s.io';

const RESERVED = `metadata.name: names ending with "${SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`;

/** What a client is warned of: names of configurations that an API server reads from files. */
export function reservedNameWarnings({ metadata: { name = '' } }: KubeObject): string[] {
  return name.endsWith(SUFFIX) ? [RESERVED] : [];
}
