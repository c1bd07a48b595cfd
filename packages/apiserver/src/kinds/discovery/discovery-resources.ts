import type { Declaration } from '../../model/declaration.ts';
import { endpointSlice } from './endpoint-slice.ts';

/** `discovery.k8s.io/v1`. */
export const DISCOVERY_RESOURCES: readonly Declaration[] = [
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    resource: 'endpointslices',
    strategy: endpointSlice,
  },
];
