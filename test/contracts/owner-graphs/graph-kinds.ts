import type { JsonObject } from '@kubewright/kube';
import type { GraphKind } from './graph.ts';

export type KindInfo = {
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** What an object needs beside its metadata. */
  readonly body: JsonObject;
};

const GROUP = 'graphs.example.com';

const containers = [{ name: 'a', image: 'a' }];
const labelled = { metadata: { labels: { a: 'b' } }, spec: { containers } };
const workload = { spec: { selector: { matchLabels: { a: 'b' } }, template: labelled } };
const core = (resource: string, body: JsonObject = {}): KindInfo => ({
  apiVersion: 'v1',
  resource,
  namespaced: true,
  body,
});

export const KINDS: Readonly<Record<GraphKind, KindInfo>> = {
  ConfigMap: core('configmaps'),
  Secret: core('secrets'),
  Pod: core('pods', { spec: { containers } }),
  Job: {
    apiVersion: 'batch/v1',
    resource: 'jobs',
    namespaced: true,
    body: { spec: { template: { spec: { restartPolicy: 'Never', containers } } } },
  },
  ReplicaSet: { apiVersion: 'apps/v1', resource: 'replicasets', namespaced: true, body: workload },
  Deployment: { apiVersion: 'apps/v1', resource: 'deployments', namespaced: true, body: workload },
  ClusterRole: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    resource: 'clusterroles',
    namespaced: false,
    body: { rules: [] },
  },
  Widget: { apiVersion: `${GROUP}/v1`, resource: 'widgets', namespaced: true, body: {} },
  Gadget: { apiVersion: `${GROUP}/v1`, resource: 'gadgets', namespaced: false, body: {} },
};

/** The custom kinds of the graphs. */
export const DEFINITIONS: readonly JsonObject[] = (['Widget', 'Gadget'] as const).map((kind) => {
  const { resource, namespaced } = KINDS[kind];
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${resource}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, plural: resource, singular: kind.toLowerCase() },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
});

export function collectionOf({ apiVersion, resource, namespaced }: KindInfo, namespace: string): string {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return namespaced ? `${root}/namespaces/${namespace}/${resource}` : `${root}/${resource}`;
}
