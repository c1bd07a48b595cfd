import { type Client, ignoreNotFound, isAlreadyExists } from '@kubewright/client';
import type { JsonObject, KubeObject, Stored } from '@kubewright/kube';
import { object } from './ownership-objects.ts';

const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };

/** A kind whose definition comes and goes. */
export type ComingKind = {
  readonly group: string;
  readonly resource: string;
  /** Nobody waits for such an object: it may never be there. */
  readonly manifest: (namespace: string, name: string, more?: JsonObject) => KubeObject;
  readonly define: (client: Client) => Promise<void>;
  readonly undefine: (client: Client) => Promise<void>;
  readonly isServed: (client: Client) => Promise<boolean>;
  readonly find: (client: Client, namespace: string, name: string) => Promise<Stored | undefined>;
};

/** @param kind such as `Widget` */
export function comingKind(kind: string): ComingKind {
  const group = 'own.example.com';
  const singular = kind.toLowerCase();
  const resource = `${singular}s`;
  const definition = { name: `${resource}.${group}` };
  const type = { apiVersion: `${group}/v1`, kind };
  return {
    group,
    resource,
    manifest: (namespace, name, more = {}) => {
      const annotations = { 'eno.azure.io/readiness-group': '9' };
      return object({ ...type, metadata: { namespace, name, annotations }, ...more });
    },
    async define(client) {
      const names = { plural: resource, singular, kind, listKind: `${kind}List` };
      const schema = {
        openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      };
      const versions = [{ name: 'v1', served: true, storage: true, schema }];
      const spec = { group, scope: 'Namespaced', names, versions };
      const apiVersion = 'apiextensions.k8s.io/v1';
      await client
        .create(CRDS, object({ apiVersion, kind: CRDS.kind, metadata: definition, spec }))
        .catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
    },
    async undefine(client) {
      await ignoreNotFound(client.delete(CRDS, definition));
    },
    isServed: async (client) => (await ignoreNotFound(client.get(CRDS, definition))) !== undefined,
    async find(client, namespace, name) {
      if ((await ignoreNotFound(client.get(CRDS, definition))) === undefined) return undefined;
      const ref = { group, version: 'v1', resource, kind, namespaced: true };
      return ignoreNotFound(client.get(ref, { namespace, name }));
    },
  };
}
