import type { Declaration } from '../define.ts';
import { ingressClass } from './ingress-class.ts';
import { networkPolicy } from './network-policy.ts';

const apiVersion = 'networking.k8s.io/v1';

/** `networking.k8s.io/v1`. */
export const NETWORKING: readonly Declaration[] = [
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
