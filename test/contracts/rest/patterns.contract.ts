import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call } from '../../support/api.ts';
import { namespaceFor } from './namespace-for.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const text = { type: 'string', maxLength: 300 };
const list = {
  type: 'array',
  maxItems: 4,
  items: { type: 'object', properties: { path: text, kind: text } },
};
const rule = (expression: string): JsonObject => ({
  'x-kubernetes-validations': [{ rule: expression, message: 'rejected' }],
});

/** Patterns and rules as widely used definitions have them (prometheus-operator's, Gateway API's). */
const PROPERTIES: JsonObject = {
  size: { ...text, pattern: '(?i)(^0|([0-9]*l?[0-9]+)((K|M|G|T|E|P)i?)?B)$' },
  scheme: { ...text, pattern: '^(?i:https?)://.+$' },
  lines: { ...text, pattern: '^a(?s:.)b.c$' },
  letters: { ...text, pattern: '^[\\pL\\d-z]+$' },
  nested: { ...text, pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' },
  found: { ...text, ...rule("self.find('(?i:k)[0-9]+') == 'K2' && self.matches('^(a|aa)+K2')") },
  label: { ...text, ...rule('size(self) == 0 || format.dns1123Label().validate(self) == null') },
  other: { ...text, ...rule('null != format.dns1123Label().validate(self)') },
  routes: { ...list, ...rule('self.size() == 0 || has(self[0].path) && !has(self[size(self) - 1].kind)') },
  index: { ...list, ...rule('has(self[1].path)') },
  map: {
    type: 'object',
    maxProperties: 4,
    additionalProperties: { type: 'object', properties: { kind: text } },
    ...rule("has(self['a'].kind) && self.all(k, has(self[k].kind))"),
  },
};

const definition = (group: string, properties: JsonObject): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `ports.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'ports', kind: 'Port' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
        },
      },
    ],
  },
});

/** What patterns and rules of definitions accept, with regular expressions of RE2. */
export function patternsContract(server: () => TestServer): void {
  const group = `p${randomUUID().slice(0, 8)}.example.com`;
  const { name: namespace } = namespaceFor(server, 'ports');
  const ports = `/apis/${group}/v1/namespaces/${namespace}/ports`;
  const send = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: JsonObject): Promise<Answer> =>
    call(server().transport(), method, path, body);

  beforeAll(async () => {
    expect((await send('POST', DEFINITIONS, definition(group, PROPERTIES))).body).toMatchObject({
      kind: 'CustomResourceDefinition',
    });
    while ((await send('GET', ports)).status !== 200);
  });
  afterAll(() => send('DELETE', `${DEFINITIONS}/ports.${group}`));

  it.each<[spec: JsonObject, message: string]>([
    [{ size: '5gib' }, ''],
    [{ size: '5x' }, "spec.size in body should match '(?i)(^0|([0-9]*l?[0-9]+)((K|M|G|T|E|P)i?)?B)$'"],
    [{ scheme: 'HTTPS://a' }, ''],
    [{ scheme: 'ftp://a' }, "should match '^(?i:https?)://.+$'"],
    [{ lines: 'a\nbxc' }, ''],
    [{ lines: 'axb\nc' }, "should match '^a(?s:.)b.c$'"],
    [{ letters: 'é-4z' }, ''],
    [{ letters: 'é_' }, "should match '^[\\pL\\d-z]+$'"],
    [{ nested: 'a'.repeat(60) }, "should match '^(([a-z])+.)+[A-Z]([a-z])+$'"],
    [{ found: `${'a'.repeat(60)}K2` }, ''],
    [{ found: 'a'.repeat(60) }, 'spec.found: Invalid value'],
    [{ label: '' }, ''],
    // Null equals no optional value, as in cel-go, although Gateway API's definition means it to.
    [{ label: 'web-0' }, 'spec.label: Invalid value'],
    [{ label: 'web_0' }, 'spec.label: Invalid value'],
    [{ other: 'web-0' }, ''],
    [{ other: 'web_0' }, ''],
    [{ routes: [] }, ''],
    [{ routes: [{ path: '/' }] }, ''],
    [{ routes: [{ kind: 'x' }] }, 'spec.routes: Invalid value'],
    [{ routes: [{ path: '/' }, { kind: 'x' }] }, 'spec.routes: Invalid value'],
    [{ index: [{}, { path: '/' }] }, ''],
    [{ index: [{ path: '/' }, {}] }, 'spec.index: Invalid value'],
    [{ index: [{}] }, 'index out of bounds: 1'],
    [{ map: { a: { kind: 'x' } } }, ''],
    [{ map: { a: { kind: 'x' }, b: {} } }, 'spec.map: Invalid value'],
    [{ map: { b: { kind: 'x' } } }, 'no such key: a'],
  ])('%j', async (spec, message) => {
    const port = { apiVersion: `${group}/v1`, kind: 'Port', metadata: { generateName: 'p-' }, spec };
    const { status, body } = await send('POST', ports, port);
    expect([status, body['message'] ?? '']).toEqual(
      message === '' ? [201, ''] : [422, expect.stringContaining(message)],
    );
  });

  describe('a definition is rejected', () => {
    it.each<[pattern: string, problem: string]>([
      ['a(?=b)', 'invalid or unsupported Perl syntax: `(?=`'],
      ['(a)\\1', 'invalid escape sequence: `\\1`'],
      ['a{1001}', 'invalid repeat count: `{1001}`'],
      ['a**', 'invalid nested repetition operator: `**`'],
      ['[b-a]', 'invalid character class range: `b-a`'],
      ['(?i', 'invalid or unsupported Perl syntax: `(?i`'],
      ['a\\', 'trailing backslash at end of expression: ``'],
      ['\\p{Nope}', 'invalid character class range: `\\p{Nope}`'],
    ])('for the pattern %s', async (pattern, problem) => {
      const { status, body } = await send(
        'POST',
        `${DEFINITIONS}?dryRun=All`,
        definition(`q.${group}`, { a: { ...text, pattern } }),
      );
      expect([status, body['message']]).toEqual([
        422,
        expect.stringContaining(
          `must be a valid regular expression, but isn't: error parsing regexp: ${problem}`,
        ),
      ]);
    });

    it.each<[expression: string, message: string]>([
      ['has(self[0].nope)', "undefined field 'nope'"],
      ["self[0].path.matches('a(?=b)')", 'invalid matches argument'],
    ])('for the rule %s', async (expression, message) => {
      const { status, body } = await send(
        'POST',
        `${DEFINITIONS}?dryRun=All`,
        definition(`q.${group}`, { a: { ...list, ...rule(expression) } }),
      );
      expect([status, body['message']]).toEqual([422, expect.stringContaining(message)]);
    });
  });
}
