import { isJsonArray, type JsonObject, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, expect } from 'vitest';
import { at, textAt } from './at.ts';
import { type Call, caller } from './call.ts';

/** ConfigMaps in a namespace of their own, for a suite that makes and deletes many. */
export type ConfigMaps = {
  readonly namespace: string;
  /** Paths of the namespace's collections. */
  readonly root: string;
  readonly maps: string;
  readonly call: Call;
  readonly fresh: () => string;
  /** Creates one, and says its name. */
  readonly make: (metadata?: JsonObject) => Promise<string>;
  /** Undefined when it is not there. */
  readonly read: (name: string, collection?: string) => Promise<JsonObject | undefined>;
  /** Takes all finalizers away. */
  readonly removeFinalizers: (name: string, collection?: string) => Promise<void>;
};

export const MERGE: Readonly<Record<string, string>> = { 'content-type': 'application/merge-patch+json' };

/** Registers what the suite needs before and after its tests. */
export function configMaps(server: () => { transport(): Transport }, namespace: string): ConfigMaps {
  const root = `/api/v1/namespaces/${namespace}`;
  const maps = `${root}/configmaps`;
  let transport: Transport;
  let count = 0;
  const call: Call = (...request) => caller(transport)(...request);
  const fresh = (): string => `object-${(count += 1)}`;
  const removeFinalizers = async (name: string, collection = maps): Promise<void> => {
    await call('PATCH', `${collection}/${name}`, { metadata: { finalizers: null } }, MERGE);
  };
  beforeAll(async () => {
    transport = server().transport();
    await call('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  });
  afterAll(async () => {
    const items = at((await call('GET', maps)).json, 'items');
    for (const item of isJsonArray(items) ? items : [])
      await removeFinalizers(textAt(item, 'metadata', 'name'));
    await call('DELETE', maps);
    await transport.close();
  });
  return {
    namespace,
    root,
    maps,
    call,
    fresh,
    removeFinalizers,
    async make(metadata = {}) {
      const name = fresh();
      expect((await call('POST', maps, { metadata: { name, ...metadata } })).status).toBe(201);
      return name;
    },
    async read(name, collection = maps) {
      const answer = await call('GET', `${collection}/${name}`);
      return answer.status === 404 ? undefined : answer.json;
    },
  };
}
