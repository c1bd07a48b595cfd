import { defined, type JsonObject, type KubeObject } from '@kubewright/kube';

export const NAMESPACE = 'demo';

/** The Deployment as the first client created it: whole, with a setup container. */
export function createdDeployment(): KubeObject {
  const setup = {
    name: 'base-os-bash',
    image: 'registry.example/base-os:1',
    command: ['/bin/bash', '-c', 'prepare'],
  };
  return deployment([setup], { replicas: 3, labels: { team: 'shop' } });
}

/** As `eno` then applied it, with a newer image of the setup container. */
export function appliedDeployment(): KubeObject {
  return deployment([{ name: 'base-os-bash', image: 'registry.example/base-os:2' }]);
}

/** As it is wanted now: without the setup container. */
export function wantedDeployment(): KubeObject {
  return deployment([]);
}

function deployment(
  init: readonly JsonObject[],
  more: { readonly replicas?: number; readonly labels?: Readonly<Record<string, string>> } = {},
): KubeObject {
  const pod = {
    ...(init.length === 0 ? {} : { initContainers: init }),
    containers: [{ name: 'web', image: 'registry.example/web:7' }],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: NAMESPACE,
      ...defined({ labels: more.labels }),
    },
    spec: {
      ...defined({ replicas: more.replicas }),
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: pod },
    },
  };
}
