import { randomUUID } from 'node:crypto';
import { parseJson, type JsonObject } from '@kubewright/kube';
import { beforeAll, describe, expect, it, test, vi } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { call } from '../../support/api.ts';
import { namespaceFor } from './namespace-for.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PARSE = 'strconv.ParseInt: parsing';

/** Numbers beyond 64 bits, or beyond what a float holds, in queries, tokens, bodies and messages. */
export function numbersContract(server: () => TestServer): void {
  const { name: namespace, configMaps, create } = namespaceFor(server, 'numbers');
  const get = (query: string) => call(server().transport(), 'GET', `${configMaps}${query}`);

  beforeAll(() => create('a'));

  describe('in a query', () => {
    it.each([
      ['limit=99999999999999999999', `${PARSE} "99999999999999999999": value out of range`],
      ['limit=9223372036854775808', `${PARSE} "9223372036854775808": value out of range`],
      ['timeoutSeconds=9223372036854775808', `${PARSE} "9223372036854775808": value out of range`],
      ['watch=1&timeoutSeconds=9223372036854775808', `${PARSE} "9223372036854775808": value out of range`],
      ['limit=', `${PARSE} "": invalid syntax`],
    ])('%s is rejected', async (query, message) => {
      expect(await get(`?${query}`)).toMatchObject({ status: 400, body: { message } });
    });

    test('the largest that fit are taken', async () => {
      const answer = await get('?limit=9223372036854775807&timeoutSeconds=9223372036854775807');
      expect(answer.status).toBe(200);
    });

    const LONG = '12345678901234567890123';
    const message = `resourceVersion: Invalid value: "${LONG}": strconv.ParseUint: parsing "${LONG}": value out of range`;
    it.each([
      ['a list', '', 400, `invalid resource version: ${message}`],
      ['a get', '/a', 500, message],
    ])('a resourceVersion of 23 digits is rejected: %s', async (_, path, status, expected) => {
      const answer = await get(`${path}?resourceVersion=${LONG}`);
      expect([answer.status, answer.body['message']]).toEqual([status, expected]);
    });
  });

  describe('a forged continue token', () => {
    const token = (text: string): string => Buffer.from(text).toString('base64url');
    const field = (json: string): string => token(`{"v":"meta.k8s.io/v1",${json}}`);
    it.each([
      ['that is no base64', '!!!', 'illegal base64 data at input byte 0'],
      ['of one digit', 'x', 'illegal base64 data at input byte 0'],
      ['with padding', `${field('"rv":-1,"start":"aa"')}=`, 'illegal base64 data at input byte 58'],
      ['of a list', token('[]'), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
      [
        'of 2^63',
        field('"rv":9223372036854775808,"start":"a"'),
        'json: cannot unmarshal number 9223372036854775808 into Go struct field continueToken.rv of type int64',
      ],
      [
        'of half a revision',
        field('"rv":1.5,"start":"a"'),
        'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64',
      ],
      [
        'of a text',
        field('"rv":"x","start":"a"'),
        'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
      ],
      [
        'that starts with a number',
        field('"rv":1,"start":5'),
        'json: cannot unmarshal number into Go struct field continueToken.start of type string',
      ],
      ['that leads elsewhere', field('"rv":5,"start":"../../secrets/x"'), '../../secrets/x'],
    ])('%s is rejected', async (_, text, why) => {
      const { status, body } = await get(`?limit=1&continue=${encodeURIComponent(text)}`);
      const message = `invalid continue token: continue key is not valid: ${why}`;
      expect([status, body['message']]).toEqual([400, message]);
    });

    test('with fields in another case is a token', async () => {
      const text = token('{"V":"meta.k8s.io/v1","RV":-1,"START":"a"}');
      expect((await get(`?limit=1&continue=${text}`)).status).toBe(200);
    });
  });

  test('a revision beyond what a float holds is shown digit by digit', async () => {
    const text = '{"v":"meta.k8s.io/v1","rv":9007199254740993,"start":"a"}';
    const token = Buffer.from(text).toString('base64url');
    // A server may wait for the revision for some seconds.
    const answers = await Promise.all([
      get('/a?resourceVersion=9007199254740993'),
      get(`?limit=1&continue=${token}`),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBe(504);
      expect(body['message']).toMatch(
        /^Timeout: Too large resource version: 9007199254740993, current: \d+$/,
      );
    }
  });

  describe('in a body', () => {
    const group = `numbers-${randomUUID().slice(0, 8)}.example.io`;
    const custom = `/apis/${group}/v1/namespaces/${namespace}/counts`;
    beforeAll(async () => {
      const properties = { either: { 'x-kubernetes-int-or-string': true }, whole: { type: 'integer' } };
      const schema = { openAPIV3Schema: { type: 'object', properties } };
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `counts.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'counts', kind: 'Count' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      };
      await call(server().transport(), 'POST', DEFINITIONS, definition);
      const list = () => call(server().transport(), 'GET', custom);
      await vi.waitFor(async () => expect((await list()).status).toBe(200), {
        timeout: 30_000,
        interval: 20,
      });
    });
    const post = async (path: string, body: string) => {
      const headers = { 'content-type': 'application/json' };
      const request = { method: 'POST', path: `${path}?dryRun=All`, headers, body } as const;
      const response = await server().transport().request(request);
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      return { status: response.status, body: parseJson(Buffer.concat(chunks)) as JsonObject };
    };
    const count = (json: string) =>
      post(custom, `{"apiVersion":"${group}/v1","kind":"Count","metadata":{"name":"a"},${json}}`);

    it.each(['9223372036854775808', '-9223372036854775809', '1e30'])(
      '%s is neither an integer nor a string',
      async (number) => {
        const { status, body } = await count(`"either":${number}`);
        expect(status).toBe(422);
        expect(body['message']).toBe(
          `Count.${group} "a" is invalid: either: Invalid value: "number": either in body must be of type integer,string: "number"`,
        );
        const { body: whole } = await count(`"whole":${number}`);
        expect(whole['message']).toContain('whole in body must be of type integer: "number"');
      },
    );

    it.each(['9223372036854775807', '9007199254740993', '"9223372036854775808"'])(
      '%s is an integer or a string',
      async (value) => {
        const { status, body } = await count(`"either":${value}`);
        expect([status, body['either']]).toEqual([201, parseJson(value)]);
      },
    );

    test('a port of 2^63 is shown digit by digit', async () => {
      const services = `/api/v1/namespaces/${namespace}/services`;
      const json = '{"metadata":{"name":"a"},"spec":{"ports":[{"port":9223372036854775808}]}}';
      const { status, body } = await post(services, json);
      expect([status, body['message']]).toEqual([
        400,
        'Service in version "v1" cannot be handled as a Service: json: cannot unmarshal number 9223372036854775808 ' +
          'into Go struct field ServicePort.spec.ports.port of type int32',
      ]);
    });
  });
}
