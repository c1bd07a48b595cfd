import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@kubewright/kube';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call, PATCH } from '../../support/api.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PATIENT = { timeout: 30_000, interval: 50 };

/** What becomes of custom resources whose definition gets another schema after they were written. */
export function changedSchemasContract(server: () => TestServer): void {
  const group = `s${randomUUID().slice(0, 8)}.example.com`;
  const definition = `${DEFINITIONS}/sails.${group}`;
  const sails = `/apis/${group}/v1/sails`;
  const send = (...request: [method: 'GET' | 'POST' | 'DELETE', path: string, body?: JsonObject]) =>
    call(server().transport(), ...request);
  const make = (name: string, fields: JsonObject = {}): Promise<Answer> =>
    send('POST', sails, { apiVersion: `${group}/v1`, kind: 'Sail', metadata: { name }, ...fields });
  const schemaOf = (properties: JsonObject): JsonObject => ({
    openAPIV3Schema: { type: 'object', properties },
  });
  const know = async (properties: JsonObject): Promise<void> => {
    const path = '/spec/versions/0/schema';
    const change = [{ op: 'replace', path, value: schemaOf(properties) }];
    const { status } = await call(server().transport(), 'PATCH', definition, change, PATCH.json);
    expect(status).toBe(200);
  };
  /** Until the server knows the schema; the object's own fields. */
  const reads = (name: string, fields: JsonObject): Promise<JsonObject> =>
    vi.waitFor(async () => {
      const { metadata, apiVersion: _, kind: __, ...rest } = (await send('GET', `${sails}/${name}`)).body;
      expect(rest).toEqual(fields);
      return metadata as JsonObject;
    }, PATIENT);

  beforeAll(async () => {
    await send('POST', DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `sails.${group}` },
      spec: {
        group,
        scope: 'Cluster',
        names: { plural: 'sails', kind: 'Sail' },
        versions: [{ name: 'v1', served: true, storage: true, schema: schemaOf({ a: TEXT, b: TEXT }) }],
      },
    });
    await vi.waitFor(async () => expect((await send('GET', sails)).status).toBe(200), PATIENT);
  });
  afterAll(() => send('DELETE', definition));

  it('shows the defaults of the present schema, and keeps only what was written', async () => {
    await make('before');
    const written = await reads('before', {});
    await know({ a: { ...TEXT, default: 'A' }, b: TEXT });
    expect(await reads('before', { a: 'A' })).toEqual(written);
    const { body } = await send('GET', sails);
    expect(body['items']).toMatchObject([{ a: 'A', metadata: { name: 'before' } }]);
    await make('between');
    await know({ a: TEXT, b: { ...TEXT, default: 'B' } });
    await reads('before', { b: 'B' });
    await reads('between', { a: 'A', b: 'B' });
    await know({ a: TEXT, b: TEXT });
    await reads('before', {});
    await reads('between', { a: 'A' });
  });

  it('hides what the present schema does not know, and has it again when it does', async () => {
    await make('hides', { a: 'x', b: 'y' });
    await know({ a: TEXT });
    await reads('hides', { a: 'x' });
    await know({ a: TEXT, b: TEXT });
    await reads('hides', { a: 'x', b: 'y' });
  });

  it('writes down what it shows with the next write, even one that changes nothing', async () => {
    await make('settles', { a: 'x' });
    const first = await reads('settles', { a: 'x' });
    await know({ a: TEXT, b: { ...TEXT, default: 'B' } });
    await reads('settles', { a: 'x', b: 'B' });
    const { body } = await call(server().transport(), 'PATCH', `${sails}/settles`, {}, PATCH.merge);
    expect((body['metadata'] as JsonObject)['resourceVersion']).not.toBe(first['resourceVersion']);
    await know({ a: TEXT, b: TEXT });
    await reads('settles', { a: 'x', b: 'B' });
  });
}

const TEXT = { type: 'string' };
