import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { configMap } from '../../testing/objects.ts';
import { releaseText } from '../../testing/release-record.ts';
import { decodeRelease } from './decode-release.ts';

const REVISION = {
  name: 'web',
  namespace: 'shop',
  revision: 3,
  status: 'deployed',
  manifests: [configMap('a')],
};
const packed = (text: string): string => gzipSync(text).toString('base64');

describe('the record of a revision of a Helm release', () => {
  test('is decoded, and Helm 3 has no method in it', () => {
    expect(decodeRelease(releaseText(REVISION), 'Secret x')).toMatchObject({
      revision: 3,
      status: 'deployed',
      isServerSide: true,
      namespace: 'shop',
    });
    const old = { version: 1, namespace: 'shop', manifest: '' };
    const stored = Buffer.from(JSON.stringify(old)).toString('base64');
    expect(decodeRelease(stored, 'x')).toMatchObject({ isServerSide: false, status: 'unknown' });
  });

  test.each([
    ['not base64 of anything', '%%%', 'it is not JSON'],
    ['not compressed', Buffer.from([0x1f, 0x8b, 1, 2]).toString('base64'), 'it is not compressed as gzip'],
    ['not JSON', packed('password: hunter2'), 'it is not JSON'],
    ['no object', packed('[]'), 'it is no object'],
    ['without a manifest', packed('{"version": 1}'), 'it has no version, namespace or manifest'],
    ['nested without an end', packed('['.repeat(1_000_000)), 'it is not JSON'],
    ['40 MiB of zeros in 40 kB', gzipSync(Buffer.alloc(40 << 20)).toString('base64'), 'it is too large'],
    ['longer than a server stores', 'A'.repeat(5 << 20), 'it is too large'],
    [
      'polluted',
      packed('{"__proto__": {"version": 1, "namespace": "a", "manifest": ""}}'),
      'it has no version',
    ],
  ])('OWN-T87 that is %s is rejected in one line that quotes nothing of it', (_title, stored, why) => {
    expect(() => decodeRelease(stored, 'Secret web.v3')).toThrow(`Secret web.v3 cannot be read: ${why}`);
    expect(() => decodeRelease(stored, 'Secret web.v3')).not.toThrow('hunter2');
  });
});
