import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Json, isJsonArray, isJsonObject } from '../../json/json.ts';
import type { GroupVersionKind } from '../../object/kube-object.ts';
import { loadCatalogue } from '../catalogue.ts';
import type { SchemaNode } from '../schema-node.ts';
import { decodeBuiltIn } from './decode-built-in.ts';

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./testdata/${name}`, import.meta.url), 'utf8'));
}

function nodeOf(gvk: GroupVersionKind): SchemaNode {
  const node = loadCatalogue().schemaOf(gvk);
  assert(node !== undefined, `no schema of ${gvk.kind}`);
  return node;
}

const core = (kind: string): GroupVersionKind => ({
  group: kind === 'Deployment' ? 'apps' : '',
  version: 'v1',
  kind,
});

const decode = (kind: string, value: Json) => decodeBuiltIn(nodeOf(core(kind)), value);

/** Bodies that a kube-apiserver 1.36.2 refused with `fieldValidation=Strict`, and what it said. */
const refused = readJson('refused.json') as { kind: string; body: Json; message: string }[];

describe('what a real API server refuses', () => {
  test.each(refused)('$kind $body', ({ kind, body, message }) => {
    const { errors, unknownFields } = decode(kind, body);
    const strict = unknownFields.map((path) => `unknown field "${path}"`).join(', ');
    expect(errors[0]?.message ?? `strict decoding error: ${strict}`).toBe(message);
  });
});

/** Objects as they were sent to a kube-apiserver 1.36.2, and as it kept them. */
const stored = readJson('stored.json') as { gvk: GroupVersionKind; sent: Json; stored: Json }[];

/** Whether all of `part` stands in `whole`, which has the API's defaults too. Atoms are equal, null included. */
function missingFrom(whole: Json | undefined, part: Json, path = ''): string[] {
  if (isJsonObject(part) && isJsonObject(whole)) {
    return Object.entries(part).flatMap(([key, item]) => missingFrom(whole[key], item, `${path}.${key}`));
  }
  if (isJsonArray(part) && isJsonArray(whole) && part.length === whole.length) {
    return part.flatMap((item, index) => missingFrom(whole[index], item, `${path}[${index}]`));
  }
  return JSON.stringify(whole) === JSON.stringify(part) ? [] : [`${path}: ${JSON.stringify(part)}`];
}

describe('what a real API server stores', () => {
  test.each(stored)('$gvk.kind comes back as it is', ({ gvk, stored }) => {
    expect(decodeBuiltIn(nodeOf(gvk), stored)).toEqual({ object: stored, unknownFields: [], errors: [] });
  });

  test.each(stored)(
    '$gvk.kind: what was sent becomes what is kept, defaults aside',
    ({ gvk, sent, stored }) => {
      const { object, errors } = decodeBuiltIn(nodeOf(gvk), sent);
      expect(errors).toEqual([]);
      expect(missingFrom(stored, object)).toEqual([]);
    },
  );
});

describe('decodeBuiltIn', () => {
  test('keeps the value it was given', () => {
    const sent = { metadata: { labels: {}, name: 'a', creationTimestamp: null }, data: { a: null }, x: 1 };
    const copy = structuredClone(sent);
    decode('ConfigMap', sent);
    expect(sent).toEqual(copy);
  });

  test('a null item becomes the zero value of its type', () => {
    const { object } = decode('Service', { spec: { ports: [null], externalIPs: [null] } });
    expect(object).toMatchObject({ spec: { ports: [{ port: 0, targetPort: 0 }], externalIPs: [''] } });
  });

  test('reports at most a hundred unknown fields', () => {
    const body = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x${i}`, i]));
    expect(decode('ConfigMap', body).unknownFields).toHaveLength(100);
  });

  test('a data key called __proto__ is data', () => {
    const { object } = decode('ConfigMap', JSON.parse('{"data":{"__proto__":"x"}}'));
    expect(JSON.stringify(object)).toContain('"data":{"__proto__":"x"}');
    expect(decode('ConfigMap', JSON.parse('{"__proto__":{}}')).unknownFields).toEqual(['__proto__']);
  });

  test('integers beyond 2^53 pass, beyond 2^63 do not', () => {
    const generation = (value: bigint) => decode('ConfigMap', { metadata: { generation: value } });
    expect(generation(9007199254740993n)).toMatchObject({
      object: { metadata: { generation: 9007199254740993n } },
    });
    expect(generation(2n ** 63n).errors[0]?.message).toBe(
      'json: cannot unmarshal number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64',
    );
  });
});
