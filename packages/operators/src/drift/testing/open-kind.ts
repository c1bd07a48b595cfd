import type { ResourceRef } from '@kubewright/client';
import type { apiextensionsv1 } from '@kubewright/kube';

export type OpenKind = {
  readonly ref: ResourceRef;
  readonly apiVersion: string;
  readonly definition: apiextensionsv1.CustomResourceDefinition & {
    readonly metadata: { readonly name: string };
  };
};

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

/** A kind of somebody else's, whose objects have any spec and status here. */
export function openKind(group: string, kind: string, resource: string): OpenKind {
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
    subresources: { status: {} },
  };
  const names = { kind, plural: resource, singular: kind.toLowerCase(), listKind: `${kind}List` };
  return {
    ref: { group, version: 'v1', kind, resource, namespaced: true },
    apiVersion: `${group}/v1`,
    definition: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${resource}.${group}` },
      spec: { group, names, scope: 'Namespaced', versions: [version] },
    },
  };
}
