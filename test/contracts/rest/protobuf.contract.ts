import { expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { call } from '../../support/api.ts';
import { namespaceFor } from './namespace-for.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** A field of bytes: number and content. */
const field = (number: number, content: Uint8Array | string): Uint8Array => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
};

/** `DeleteOptions` as client-go's typed clients send them: with the version of what they delete. */
function deleteOptions(apiVersion: string, propagationPolicy: string): Uint8Array {
  const typeMeta = Buffer.concat([field(1, apiVersion), field(2, 'DeleteOptions')]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, typeMeta), field(2, field(4, propagationPolicy))]);
}

/** Bodies in protobuf, as Go clients send them. */
export function protobufContract(server: () => TestServer): void {
  const { name: namespace } = namespaceFor(server, 'protobuf');
  const pod = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template: pod };

  it.each([
    ['apps/v1', 'ReplicaSet', 'replicasets', { ...spec, replicas: 0 }],
    ['policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', { minAvailable: 1 }],
    ['v1', 'ConfigMap', 'configmaps', undefined],
  ])('options of a deletion in %s', async (apiVersion, kind, resource, body) => {
    const prefix = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const collection = `${prefix}/namespaces/${namespace}/${resource}`;
    const make = (name: string) =>
      call(server().transport(), 'POST', collection, {
        apiVersion,
        kind,
        metadata: { name, finalizers: ['example.com/held'] },
        ...(body === undefined ? {} : { spec: body }),
      });
    for (const name of ['one', 'two']) expect((await make(name)).status).toBe(201);
    for (const path of [`${collection}/one`, collection]) {
      const response = await server()
        .transport()
        .request({
          method: 'DELETE',
          path,
          headers: { accept: 'application/json', 'content-type': PROTOBUF },
          body: deleteOptions(apiVersion, 'Orphan'),
        });
      for await (const _ of response.body);
      expect(response.status).toBe(200);
    }
    for (const name of ['one', 'two']) {
      const { body: left } = await call(server().transport(), 'GET', `${collection}/${name}`);
      expect(left['metadata']).toMatchObject({
        deletionTimestamp: expect.any(String),
        finalizers: expect.arrayContaining(['orphan']),
      });
      const nothing = { metadata: { finalizers: null } };
      const merge = 'application/merge-patch+json';
      await call(server().transport(), 'PATCH', `${collection}/${name}`, nothing, merge);
    }
  });
}
