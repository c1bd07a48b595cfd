import { randomUUID } from 'node:crypto';
import type { JsonObject, KubeObject } from '@kubewright/kube';
import { afterAll, beforeAll } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { call } from '../../support/api.ts';

/** A namespace of a suite's own, and ConfigMaps in it. */
export type OwnNamespace = {
  readonly name: string;
  /** `/api/v1/namespaces/NAME/configmaps`. */
  readonly configMaps: string;
  /** Creates a ConfigMap and answers with it. */
  readonly create: (name: string, more?: ConfigMapParts) => Promise<KubeObject>;
};

type ConfigMapParts = {
  readonly labels?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
};

/** Makes a namespace before the suite's tests and deletes it afterwards. */
export function namespaceFor(server: () => TestServer, purpose: string): OwnNamespace {
  const name = `${purpose}-${randomUUID().slice(0, 8)}`;
  const configMaps = `/api/v1/namespaces/${name}/configmaps`;
  beforeAll(async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await call(server().transport(), 'POST', '/api/v1/namespaces', namespace);
  });
  afterAll(async () => {
    await call(server().transport(), 'DELETE', configMaps);
    await call(server().transport(), 'DELETE', `/api/v1/namespaces/${name}`);
  });
  return {
    name,
    configMaps,
    async create(configMap, { labels = {}, data = {} } = {}) {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: configMap, labels }, data };
      const { body } = await call(server().transport(), 'POST', configMaps, object);
      return body as KubeObject;
    },
  };
}

/** `metadata` of an object or of a list, as the suites read it. */
export type Meta = {
  readonly name?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly continue?: string;
  readonly remainingItemCount?: number;
};

export function metaOf(body: JsonObject): Meta {
  return body['metadata'] as Meta;
}

/** The names of a list's items. */
export function namesIn(body: JsonObject): string[] {
  const items = (body['items'] ?? []) as readonly JsonObject[];
  return items.map((item) => String(metaOf(item).name));
}
