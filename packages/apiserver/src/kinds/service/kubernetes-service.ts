import type { KubeObject } from '@kubewright/kube';
import { addressAt, type ServiceRanges } from '../../model/service-ranges.ts';

/**
 * The Service by which pods find the API, which listens at `url`: it has the first address of the range. It has no
 * endpoints: those may not be of the loopback, on which servers of this kind listen.
 */
export function kubernetesService(url: string, ranges: ServiceRanges): KubeObject {
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
      clusterIP: addressAt(ranges, 1),
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: Number(new URL(url).port || 443) }],
      sessionAffinity: 'None',
    },
  };
}
