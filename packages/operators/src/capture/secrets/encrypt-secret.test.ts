import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { canonicalJson, type KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { applySecretPolicy } from '../manifests/apply-secret-policy.ts';
import { readSettings } from '../settings.ts';
import { decryptSecret, encryptSecret, isEncrypted } from './encrypt-secret.ts';
import { type KeyRing, parseKeyRing, readKeyRing } from './key-ring.ts';

const VALUE = Buffer.from('swordfish').toString('base64');
const SECRET: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    namespace: 'shop',
    name: 'login',
    uid: 'uid-login',
    resourceVersion: '7',
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":"${VALUE}"}`, a: 'b' },
  },
  type: 'Opaque',
  data: { password: VALUE },
};

const lineOf = (id: string, byte: number): string => `${id} ${Buffer.alloc(32, byte).toString('base64')}`;
const ring = (...lines: readonly string[]): KeyRing => parseKeyRing(lines.join('\n'), 'keys');
const RING = ring(lineOf('2026-11', 1));
const [KEY] = RING;

describe('CAP-90 CAP-D21 a Secret that is captured encrypted', () => {
  test('has no value anywhere, names its key, and is whole again with it', () => {
    const encrypted = encryptSecret(SECRET, KEY);
    const text = canonicalJson(encrypted);
    for (const hidden of [VALUE, 'swordfish', 'password']) expect(text).not.toContain(hidden);
    expect(encrypted).toMatchObject({ encryptedData: { algorithm: 'AES-256-GCM', keyID: '2026-11' } });
    expect(isEncrypted(encrypted)).toBe(true);
    expect(canonicalJson(decryptSecret(encrypted, RING))).toBe(canonicalJson(SECRET));
  });

  test.each<[string, KubeObject]>([
    ['no values', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'empty' }, type: 'Opaque' }],
    ['no type', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', annotations: {} }, data: {} }],
  ])('with %s is whole again, too', (_title, secret) => {
    expect(decryptSecret(encryptSecret(secret, KEY), RING)).toEqual(secret);
  });

  test('is the same each time, so that a capture that is resumed finds what it planned', () => {
    expect(encryptSecret(SECRET, KEY)).toEqual(encryptSecret(SECRET, KEY));
  });

  test('has another key and ciphertext for each content, version and key', () => {
    const others = [
      SECRET,
      { ...SECRET, data: { password: 'b3RoZXI=' } },
      { ...SECRET, metadata: { ...SECRET.metadata, resourceVersion: '8' } },
      { ...SECRET, metadata: { ...SECRET.metadata, name: 'logout' } },
    ].map((secret) => encryptSecret(secret, KEY));
    const [other] = ring(lineOf('2026-11', 2));
    const all = [...others, encryptSecret(SECRET, other)].map(({ encryptedData }) => encryptedData);
    for (const field of ['salt', 'ciphertext'])
      expect(new Set(all.map((data) => (data as Record<string, string>)[field])).size).toBe(all.length);
  });

  test('needs its key, whichever encrypts now', () => {
    const encrypted = encryptSecret(SECRET, KEY);
    const rotated = ring('# since December', lineOf('2026-12', 9), '', lineOf('2026-11', 1));
    expect(decryptSecret(encrypted, rotated)).toEqual(SECRET);
    for (const without of [undefined, ring(lineOf('2026-12', 9))])
      expect(() => decryptSecret(encrypted, without)).toThrow('is encrypted with key 2026-11: --key-file');
    expect(() => decryptSecret(encrypted, ring(lineOf('2026-11', 3)))).toThrow('its key is another one');
  });

  test('can be neither changed nor given to another Secret', () => {
    const { encryptedData = null, ...rest } = encryptSecret(SECRET, KEY);
    const data = encryptedData as Record<string, string>;
    const flipped = Buffer.from(data['ciphertext'] ?? '', 'base64');
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    const changed = [
      { ...rest, encryptedData: { ...data, ciphertext: flipped.toString('base64') } },
      { ...rest, encryptedData: { ...data, ciphertext: '' } },
      { ...rest, encryptedData: { ...data, salt: randomBytes(32).toString('base64') } },
      { ...rest, type: 'kubernetes.io/tls', encryptedData },
      { ...rest, metadata: { ...rest.metadata, name: 'other' }, encryptedData },
    ];
    for (const object of changed)
      expect(() => decryptSecret(object, RING)).toThrow('is not what was encrypted');
  });

  test('keeps its key where it comes into another namespace', () => {
    const moved = { ...encryptSecret(SECRET, KEY), metadata: { namespace: 'shop-2', name: 'login' } };
    expect(decryptSecret(moved, RING)).toMatchObject({
      metadata: { namespace: 'shop-2' },
      data: SECRET['data'],
    });
  });
});

describe('the keys', () => {
  test('are read from a file, and never printed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubewright-keys-'));
    try {
      const path = join(folder, 'keys');
      writeFileSync(path, `${lineOf('2026-11', 1)}\n`);
      const keys = readKeyRing(path);
      for (const text of [JSON.stringify(keys), inspect(keys, { depth: 9 })]) {
        expect(text).not.toContain(Buffer.alloc(32, 1).toString('base64'));
        expect(text).not.toContain('01 01');
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each([
    ['', 'keys has no key'],
    ['a AAAA', 'keys, line 1: it is not an id'],
    [`${lineOf('a', 1)}\nnonsense`, 'keys, line 2'],
    [`${lineOf('a', 1)}\n${lineOf('a', 2)}`, 'two keys of one id'],
  ])('%j is no key file', (text, message) => {
    expect(() => parseKeyRing(text, 'keys')).toThrow(message);
  });

  test('are needed: without one nothing is captured, and the policy cannot be the default', () => {
    expect(applySecretPolicy(SECRET, 'Encrypt')).toMatchObject({
      type: 'fault',
      message: expect.stringContaining('has no key'),
    });
    expect(() => readSettings({ CAPTURE_SECRETS: 'Encrypt' })).toThrow('set CAPTURE_KEY_FILE');
    expect(readSettings({ CAPTURE_SECRETS: 'Encrypt', CAPTURE_KEY_FILE: '/keys' })).toMatchObject({
      secrets: 'Encrypt',
      keyFile: '/keys',
    });
    expect(() => readKeyRing('/nowhere/at/all')).toThrow('the key file cannot be read');
  });
});
