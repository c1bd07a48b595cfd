// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { NamespacedMeta, ResourceRef } from '../object/kube-object.ts';
import type { ObjectReference } from './corev1.data.ts';

export const endpointslices: ResourceRef<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
};

export type Endpoint = {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly deprecatedTopology?: { readonly [key: string]: string };
  readonly hints?: EndpointHints;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
  readonly zone?: string;
};

export type EndpointConditions = {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
};

export type EndpointHints = {
  readonly forNodes?: readonly ForNode[];
  readonly forZones?: readonly ForZone[];
};

export type EndpointPort = {
  readonly appProtocol?: string;
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP';
};

export type EndpointSlice = {
  readonly apiVersion: 'discovery.k8s.io/v1';
  readonly kind: 'EndpointSlice';
  readonly metadata: NamespacedMeta;
  readonly addressType: 'FQDN' | 'IPv4' | 'IPv6';
  readonly endpoints?: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[];
};

export type ForNode = {
  readonly name: string;
};

export type ForZone = {
  readonly name: string;
};
