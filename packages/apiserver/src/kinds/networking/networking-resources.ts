import type { Declaration } from '../../model/declaration.ts';
import { ingress, ingressStatus } from './ingress.ts';
import { ingressClass } from './ingress-class.ts';
import { networkPolicy } from './network-policy.ts';

const apiVersion = 'networking.k8s.io/v1';

/** `networking.k8s.io/v1`. */
export const NETWORKING_RESOURCES: readonly Declaration[] = [
  {
    apiVersion,
    kind: 'Ingress',
    resource: 'ingresses',
    short: ['ing'],
    strategy: ingress,
    status: ingressStatus,
  },
  {
    apiVersion,
    kind: 'IngressClass',
    resource: 'ingressclasses',
    namespaced: false,
    strategy: ingressClass,
  },
  {
    apiVersion,
    kind: 'NetworkPolicy',
    resource: 'networkpolicies',
    short: ['netpol'],
    strategy: networkPolicy,
  },
];
