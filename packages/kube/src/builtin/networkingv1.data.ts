// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { NamespacedMeta, ObjectMeta, ResourceRef } from '../object/kube-object.ts';
import type { TypedLocalObjectReference } from './corev1.data.ts';
import type { Condition, LabelSelector } from './metav1.data.ts';

export const ingressclasses: ResourceRef<IngressClass> = {
  group: 'networking.k8s.io',
  version: 'v1',
  resource: 'ingressclasses',
  kind: 'IngressClass',
  namespaced: false,
};
export const ingresses: ResourceRef<Ingress> = {
  group: 'networking.k8s.io',
  version: 'v1',
  resource: 'ingresses',
  kind: 'Ingress',
  namespaced: true,
};
export const ipaddresses: ResourceRef<IPAddress> = {
  group: 'networking.k8s.io',
  version: 'v1',
  resource: 'ipaddresses',
  kind: 'IPAddress',
  namespaced: false,
};
export const networkpolicies: ResourceRef<NetworkPolicy> = {
  group: 'networking.k8s.io',
  version: 'v1',
  resource: 'networkpolicies',
  kind: 'NetworkPolicy',
  namespaced: true,
};
export const servicecidrs: ResourceRef<ServiceCIDR> = {
  group: 'networking.k8s.io',
  version: 'v1',
  resource: 'servicecidrs',
  kind: 'ServiceCIDR',
  namespaced: false,
};

export type HTTPIngressPath = {
  readonly backend: IngressBackend;
  readonly path?: string;
  readonly pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix';
};

export type HTTPIngressRuleValue = {
  readonly paths: readonly HTTPIngressPath[];
};

export type IPAddress = {
  readonly apiVersion: 'networking.k8s.io/v1';
  readonly kind: 'IPAddress';
  readonly metadata: ObjectMeta;
  readonly spec: IPAddressSpec;
};

export type IPAddressSpec = {
  readonly parentRef: ParentReference;
};

export type IPBlock = {
  readonly cidr: string;
  readonly except?: readonly string[];
};

export type Ingress = {
  readonly apiVersion: 'networking.k8s.io/v1';
  readonly kind: 'Ingress';
  readonly metadata: NamespacedMeta;
  readonly spec: IngressSpec;
  readonly status?: IngressStatus;
};

export type IngressBackend = {
  readonly resource?: TypedLocalObjectReference;
  readonly service?: IngressServiceBackend;
};

export type IngressClass = {
  readonly apiVersion: 'networking.k8s.io/v1';
  readonly kind: 'IngressClass';
  readonly metadata: ObjectMeta;
  readonly spec: IngressClassSpec;
};

export type IngressClassParametersReference = {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly scope?: string;
};

export type IngressClassSpec = {
  readonly controller?: string;
  readonly parameters?: IngressClassParametersReference;
};

export type IngressLoadBalancerIngress = {
  readonly hostname?: string;
  readonly ip?: string;
  readonly ports?: readonly IngressPortStatus[];
};

export type IngressLoadBalancerStatus = {
  readonly ingress?: readonly IngressLoadBalancerIngress[];
};

export type IngressPortStatus = {
  readonly error?: string;
  readonly port: number;
  readonly protocol: 'SCTP' | 'TCP' | 'UDP';
};

export type IngressRule = {
  readonly host?: string;
  readonly http?: HTTPIngressRuleValue;
};

export type IngressServiceBackend = {
  readonly name: string;
  readonly port?: ServiceBackendPort;
};

export type IngressSpec = {
  readonly defaultBackend?: IngressBackend;
  readonly ingressClassName?: string;
  readonly rules?: readonly IngressRule[];
  readonly tls?: readonly IngressTLS[];
};

export type IngressStatus = {
  readonly loadBalancer?: IngressLoadBalancerStatus;
};

export type IngressTLS = {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
};

export type NetworkPolicy = {
  readonly apiVersion: 'networking.k8s.io/v1';
  readonly kind: 'NetworkPolicy';
  readonly metadata: NamespacedMeta;
  readonly spec: NetworkPolicySpec;
};

export type NetworkPolicyEgressRule = {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly to?: readonly NetworkPolicyPeer[];
};

export type NetworkPolicyIngressRule = {
  readonly from?: readonly NetworkPolicyPeer[];
  readonly ports?: readonly NetworkPolicyPort[];
};

export type NetworkPolicyPeer = {
  readonly ipBlock?: IPBlock;
  readonly namespaceSelector?: LabelSelector;
  readonly podSelector?: LabelSelector;
};

export type NetworkPolicyPort = {
  readonly endPort?: number;
  readonly port?: number | string;
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP';
};

export type NetworkPolicySpec = {
  readonly egress?: readonly NetworkPolicyEgressRule[];
  readonly ingress?: readonly NetworkPolicyIngressRule[];
  readonly podSelector?: LabelSelector;
  readonly policyTypes?: readonly ('Egress' | 'Ingress')[];
};

export type ParentReference = {
  readonly group?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly resource: string;
};

export type ServiceBackendPort = {
  readonly name?: string;
  readonly number?: number;
};

export type ServiceCIDR = {
  readonly apiVersion: 'networking.k8s.io/v1';
  readonly kind: 'ServiceCIDR';
  readonly metadata: ObjectMeta;
  readonly spec: ServiceCIDRSpec;
  readonly status?: ServiceCIDRStatus;
};

export type ServiceCIDRSpec = {
  readonly cidrs?: readonly string[];
};

export type ServiceCIDRStatus = {
  readonly conditions?: readonly Condition[];
};
