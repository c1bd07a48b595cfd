import { gzipSync } from 'node:zlib';
import {
  canonicalJson,
  isJsonArray,
  type Json,
  type JsonObject,
  type KubeObject,
  parseJson,
} from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { MAX_CHUNK_BYTES } from '../api/content-chunk.ts';
import { noise } from '../testing/noise.ts';
import { packAll } from '../testing/pack-all.ts';
import { type PackedChunk, unpack } from './pack-objects.ts';
import { applySecretPolicy } from './apply-secret-policy.ts';

const objectOf = (name: string, fields: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name },
  ...fields,
});

function objectsIn(chunks: readonly PackedChunk[]): readonly Json[] {
  return chunks.flatMap(({ data }) => {
    const content = unpack(data);
    const value = 'fault' in content ? null : parseJson(content.plain);
    return isJsonArray(value) ? value : [];
  });
}

describe('chunks of a checkpoint', () => {
  test('CAP-73 of nothing: one, of an empty array', async () => {
    const [chunk, ...others] = await packAll([]);
    expect(others).toEqual([]);
    expect(chunk).toMatchObject({
      objectsCount: 0,
      plainChecksum: '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
    });
  });

  test('CAP-70 follow from the objects, not from their order', async () => {
    const [a, b, c] = [objectOf('a'), objectOf('b'), { ...objectOf('a'), kind: 'Secret' }];
    expect(await packAll([c, b, a])).toEqual(await packAll([a, c, b]));
    expect(objectsIn(await packAll([c, b, a])).map((object) => canonicalJson(object))).toEqual(
      [a, b, c].map((object) => canonicalJson(object)),
    );
  });

  test('CAP-74 CAP-D10 are two when one is not enough, and each fits', async () => {
    const objects = ['a', 'b', 'c'].map((name) => objectOf(name, { data: { text: noise(400_000) + name } }));
    const chunks = await packAll(objects);
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.reduce((sum, { objectsCount }) => sum + objectsCount, 0)).toBe(3);
    for (const { data, sizeBytes } of chunks) {
      expect(sizeBytes).toBeLessThanOrEqual(MAX_CHUNK_BYTES);
      expect(data.length).toBeLessThanOrEqual(1_048_576);
    }
    expect(objectsIn(chunks)).toHaveLength(3);
  });

  test('CAP-74 CAP-75 CAP-D10 are two, or none, for what 800 000 bytes of gzip have room for, but not as base64', async () => {
    const halves = ['a', 'b'].map((name) => objectOf(name, { data: { text: noise(525_000) } }));
    const whole = objectOf('whole', { data: { text: noise(1_050_000) } });
    for (const content of [halves, [whole]]) {
      const { length } = gzipSync(canonicalJson(content));
      expect(length).toBeGreaterThan(786_432);
      expect(length).toBeLessThan(800_000);
    }
    const chunks = await packAll(halves);
    expect(chunks.map(({ objectsCount }) => objectsCount)).toEqual([1, 1]);
    for (const { data } of chunks) expect(data.length).toBeLessThanOrEqual(1_048_576);
    await expect(packAll([whole])).rejects.toThrow('ConfigMap shop/whole is too large');
  });

  test('CAP-77 are smaller where that is set, but an object is never cut', async () => {
    const objects = ['a', 'b', 'c'].map((name) => objectOf(name, { data: { text: noise(2000) + name } }));
    expect(await packAll(objects)).toHaveLength(1);
    expect((await packAll(objects, 1024)).map(({ objectsCount }) => objectsCount)).toEqual([1, 1, 1]);
    expect(objectsIn(await packAll(objects, 1024))).toEqual(objectsIn(await packAll(objects)));
  });

  test('CAP-75 CAP-76 CAP-D10 one object that does not fit is named', async () => {
    const huge = objectOf('huge', { data: { text: noise(1_200_000) } });
    await expect(packAll([objectOf('a'), huge])).rejects.toThrow('ConfigMap shop/huge is too large');
  });

  test('CAP-88 CAP-89 CAP-D11 what is stored is what was read', async () => {
    const text =
      '{"apiVersion":"v1","kind":"Odd","metadata":{"name":"odd"},"big":9007199254740993,"float":1.5,' +
      '"10":1,"2":2,"__proto__":{"a":1},"text":"<&> é 😀","tags":[{"Key":"a","Value":"b"}]}';
    const odd = parseJson(text) as KubeObject;
    const [back] = objectsIn(await packAll([odd]));
    expect(canonicalJson(back ?? null)).toBe(canonicalJson(odd));
    expect(canonicalJson(back ?? null)).toContain('9007199254740993');
  });

  test('CAP-84 another zlib makes other bytes of the same content', async () => {
    const [chunk] = await packAll([]);
    // What Go makes of the same.
    const go = unpack('H4sIAAAAAAAA/4qOBQQAAP//KbtMDQIAAAA=');
    expect(go).toMatchObject({
      plainChecksum: chunk?.plainChecksum,
      checksum: '261feae8b4d06341989808887b33303dfb972c7566e389dbd8e1c1ea9b096a13',
    });
  });

  test('what is no gzip is a fault', () => {
    expect(unpack('bm8=')).toHaveProperty('fault');
  });
});

describe('CAP-90 CAP-D21 a Secret', () => {
  const value = Buffer.from('swordfish').toString('base64');
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'login',
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"password":"${value}"}}`,
        a: 'b',
      },
    },
    type: 'Opaque',
    data: { password: value },
  };

  test('is captured as it is, unless the policy says otherwise', () => {
    expect(applySecretPolicy(secret, 'Include')).toEqual({ type: 'keep', object: secret });
    expect(applySecretPolicy(secret, 'Exclude')).toEqual({ type: 'leaveOut' });
  });

  test('keeps its keys and loses its values, wherever they are', () => {
    const kept = applySecretPolicy(secret, 'Redact');
    expect(kept).toMatchObject({ object: { data: { password: '' }, metadata: { annotations: { a: 'b' } } } });
    expect(JSON.stringify(kept)).not.toContain(value);
  });

  test('that is a token of a service account is captured under no policy', () => {
    const token = { ...secret, type: 'kubernetes.io/service-account-token' };
    for (const policy of ['Include', 'Redact', 'Exclude'] as const)
      expect(applySecretPolicy(token, policy)).toMatchObject({ type: 'fault' });
  });

  test('is told by its group: a Secret of another API is an object like any other', () => {
    const other = { ...secret, apiVersion: 'vault.example.com/v1' };
    expect(applySecretPolicy(other, 'Exclude')).toEqual({ type: 'keep', object: other });
  });
});
