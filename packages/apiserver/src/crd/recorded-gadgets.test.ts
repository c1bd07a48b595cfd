import { readFileSync } from 'node:fs';
import { type JsonObject, parseJson } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ApiServer, createApiServer } from '../api-server.ts';
import { type Call, caller } from '../testing/call.ts';

/** A custom kind with a field of every sort, and what a kube-apiserver 1.36.2 kept or refused of it. */
const recorded = parseJson(
  readFileSync(new URL('../../../kube/src/schema/structural/testdata/gadgets.json', import.meta.url), 'utf8'),
) as {
  readonly schema: JsonObject;
  readonly cases: readonly {
    readonly spec: JsonObject;
    readonly stored?: JsonObject;
    readonly causes?: readonly string[];
    readonly refused?: string;
    readonly strict?: string;
  }[];
};

const GADGETS = '/apis/engb.ex.io/v1/namespaces/default/gadgets';

let server: ApiServer;
let call: Call;

beforeAll(async () => {
  server = createApiServer();
  call = caller(server.transport());
  const schema = { openAPIV3Schema: recorded.schema };
  const { status } = await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'gadgets.engb.ex.io' },
    spec: {
      group: 'engb.ex.io',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  });
  expect(status).toBe(201);
  await vi.waitFor(async () => expect((await call('GET', GADGETS)).status).toBe(200), 60_000);
});
afterAll(() => server.close());

const create = async (spec: JsonObject, fieldValidation: string) => {
  const body = { apiVersion: 'engb.ex.io/v1', kind: 'Gadget', metadata: { name: 'g' }, spec };
  return (await call('POST', `${GADGETS}?dryRun=All&fieldValidation=${fieldValidation}`, body)).json;
};

describe('the server answers as the recorded one', () => {
  test.each(recorded.cases)('to $spec', async ({ spec, stored, causes, refused }) => {
    const json = await create(spec, 'Ignore');
    if (stored !== undefined) return expect(json['spec']).toEqual(stored);
    if (refused !== undefined) return expect(json['message']).toBe(refused);
    const details = json['details'] as { causes: { field: string; message: string }[] };
    const said = details.causes.map(({ field, message }) => `${field}: ${message}`);
    return expect(said.sort()).toEqual(causes);
  });

  test.each(recorded.cases.filter(({ strict }) => strict !== undefined))(
    'to $spec under strict validation',
    async ({ spec, strict }) => {
      const json = await create(spec, 'Strict');
      expect(json['message']).toBe(
        `Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: ${strict}`,
      );
    },
  );
});
