import { readFileSync } from 'node:fs';
import { type JsonObject, parseJson } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ApiServer, createApiServer } from '../api-server.ts';
import { type Call, caller } from '../testing/call.ts';

let server: ApiServer;
let call: Call;

const WIDGETS = '/apis/ex.io/v1/namespaces/default/widgets';

/** The schema of the recorded session (goldens/kubectl). */
const schema = parseJson(`{
  "type": "object", "required": ["spec"],
  "properties": {
    "spec": {
      "type": "object", "required": ["size"],
      "x-kubernetes-validations": [
        {"rule": "!has(self.max) || self.size <= self.max", "message": "size must not exceed max"}
      ],
      "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 10},
        "max": {"type": "integer"},
        "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
        "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "parts": {
          "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
          "items": {
            "type": "object", "required": ["name", "kind"],
            "properties": {"name": {"type": "string"}, "kind": {"type": "string"}}
          }
        },
        "fixed": {
          "type": "string",
          "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed is immutable"}]
        },
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}
      }
    },
    "status": {"type": "object", "properties": {"size": {"type": "integer", "maximum": 5}}}
  }
}`) as JsonObject;

beforeAll(async () => {
  server = createApiServer();
  call = caller(server.transport());
  const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' };
  const version = { name: 'v1', served: true, storage: true, subresources: { status: {}, scale } };
  const { status } = await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.ex.io' },
    spec: {
      group: 'ex.io',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
      versions: [{ ...version, schema: { openAPIV3Schema: schema } }],
    },
  });
  expect(status).toBe(201);
  await vi.waitFor(async () => expect((await call('GET', WIDGETS)).status).toBe(200), 60_000);
});
afterAll(() => server.close());

const create = (name: string, spec?: JsonObject, query = '') =>
  call('POST', `${WIDGETS}${query}`, {
    apiVersion: 'ex.io/v1',
    kind: 'Widget',
    metadata: { name },
    ...(spec && { spec }),
  });

const merge = (path: string, patch: JsonObject) =>
  call('PATCH', `${WIDGETS}/${path}`, patch, { 'content-type': 'application/merge-patch+json' });

/** As kubectl prints an invalid object. */
const shown = (json: JsonObject) => {
  const { name, causes } = json['details'] as {
    name: string;
    causes: { field: string; message: string }[];
  };
  const lines = causes.map(({ field, message }) => `${field}: ${message}`).sort();
  const [first, ...more] = lines;
  const text = more.length === 0 ? ` ${first}` : lines.map((line) => `\n* ${line}`).join('');
  return `The Widget "${name}" is invalid:${text}\n`;
};

/** What kubectl 1.32 printed for the same object on a kube-apiserver 1.36.2. */
const golden = JSON.parse(
  readFileSync(new URL('../../../../goldens/kubectl/golden.json', import.meta.url), 'utf8'),
) as { err: string }[];
const goldenError = (name: string) => golden.find(({ err }) => err.startsWith(`The Widget "${name}"`))?.err;

describe('custom resources', () => {
  test('are pruned and get their defaults; what is empty stays', async () => {
    const { status, json } = await create('p1', { size: 3, unknown: 1, tags: [], free: { a: { b: null } } });
    expect(status).toBe(201);
    expect(json['spec']).toEqual({ size: 3, color: 'red', tags: [], free: { a: { b: null } } });
  });

  test('with unknown fields are refused under strict validation', async () => {
    const { json } = await create('p2', { size: 3, unknown: 1 }, '?fieldValidation=Strict');
    expect(json['message']).toBe(
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.unknown"',
    );
  });

  const part = (kind: string) => ({ name: 'p', kind });

  test.each([
    ['w2', { size: 30, color: 'green' }],
    ['w3', { size: 5, max: 4 }],
    ['w4', { size: '3', tags: ['a', 'a'], parts: [part('k'), part('l')] }],
    ['w5', undefined],
  ])('%s is refused as a real server refuses it', async (name, spec) => {
    const { status, json } = await create(name, spec);
    expect(status).toBe(422);
    expect(shown(json)).toBe(goldenError(name));
  });

  test('transition rules see the past', async () => {
    await create('w1', { size: 3, fixed: 'one' });
    expect(shown((await merge('w1', { spec: { fixed: 'two' } })).json)).toBe(goldenError('w1'));
  });

  test('keep a status that fits its schema only', async () => {
    await create('s1', { size: 1 });
    const bad = await merge('s1/status', { status: { size: 6 } });
    expect(shown(bad.json)).toBe(
      'The Widget "s1" is invalid: status.size: Invalid value: 6: size in body should be less than or equal to 5\n',
    );
    const good = await merge('s1/status', { status: { size: 5, x: 1 } });
    expect(good.json['status']).toEqual({ size: 5 });
  });
});
