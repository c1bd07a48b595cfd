import type { KubeObject } from '@kubewright/kube';

/**
 * The Service by which pods find the API, which listens at `url`. It has no endpoints: those may not be of the loopback, on which servers of
 * this kind listen.
 */
export function kubernetesService(url: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: Number(new URL(url).port || 443) }],
      sessionAffinity: 'None',
    },
  };
}
