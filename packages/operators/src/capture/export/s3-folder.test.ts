import { createServer as createTlsServer } from 'node:https';
import { makeCertificates } from '@kubewright/apiserver';
import { canonicalJson, type JsonObject } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BUCKET, S3_ENV, startS3Server, type S3Server } from '../testing/s3-server.ts';
import { indexOf } from './export-index.ts';
import { configMap, each, readObjects, writeObjects } from './testing/write-objects.ts';
import { writeExport } from './write-export.ts';

/** Names and values that an encoding too few, or too many, would change. */
const OBJECTS = [
  configMap('b'),
  configMap(`odd:name (*) & 'quotes' +~`, { big: 9007199254740993n, text: '<&>\u2028 😀' }),
  configMap('a'),
];
const AT = `s3://${BUCKET}/shop & co/*monday+1~ (it's!) é=?#%`;

const write = (at: string, objects: readonly JsonObject[] = OBJECTS): Promise<void> =>
  writeObjects(at, objects);
const use = (env: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
};

let s3: S3Server;
beforeEach(async () => {
  s3 = await startS3Server();
  use({
    ...S3_ENV,
    AWS_ENDPOINT_URL: s3.url,
    AWS_ENDPOINT_URL_S3: '',
    AWS_REGION: 'eu-central-1',
    AWS_SESSION_TOKEN: '',
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  s3.server.closeAllConnections();
  s3.server.close();
});

describe('an export of a checkpoint to a bucket', () => {
  test('CAP-88 is read back as it was written, in the same order; its index is written last', async () => {
    await write(AT);
    expect([...s3.objects.keys()].filter((path) => path.includes('claim'))).toEqual([]);
    expect(s3.requests.findLast((line) => line.startsWith('PUT'))).toMatch(/checkpoint\.json$/);
    expect(await readObjects(AT)).toEqual(OBJECTS.map(canonicalJson));
    expect(await readObjects(`${AT}/`)).toEqual(OBJECTS.map(canonicalJson));
  });

  test('of which nothing is given is an index alone', async () => {
    await write(`s3://${BUCKET}`, []);
    expect([...s3.objects.keys()]).toEqual([`/${BUCKET}/checkpoint.json`]);
    expect(await readObjects(`s3://${BUCKET}`)).toEqual([]);
  });

  test('does not write over anything', async () => {
    await write(AT);
    await expect(write(AT)).rejects.toThrow(`the folder ${AT} is not empty`);
    await write(`${AT}1`);
  });

  test('is rejected when an object was changed, is missing, or was added after the first page of the list', async () => {
    await write(AT);
    const [path = ''] = [...s3.objects.keys()].filter((key) => key.endsWith('/a.json'));
    const content = s3.objects.get(path) ?? Buffer.of();
    s3.objects.set(path, Buffer.from('{}'));
    await expect(readObjects(AT)).rejects.toThrow(
      'a.json has changed since it was exported: its checksum is wrong',
    );
    s3.objects.delete(path);
    await expect(readObjects(AT)).rejects.toThrow(
      /a\.json cannot be read: .*it does not exist \(404 NoSuchKey\)$/,
    );
    s3.objects.set(path, content);
    s3.objects.set(`${path}.orig`, content);
    await expect(readObjects(AT)).rejects.toThrow('a.json.orig is not in the index');
  });

  test('goes on when the server was overloaded', async () => {
    s3.next.push({ status: 503, code: 'SlowDown' }, { status: 503, code: 'SlowDown' });
    await write(AT);
    expect(await readObjects(AT)).toHaveLength(OBJECTS.length);
  });

  test('that was interrupted is no export', async () => {
    const index = await indexOf('nss-mcp-1', each(OBJECTS));
    await expect(writeExport(AT, index, each([configMap('b'), configMap('other')]))).rejects.toThrow(
      'has changed',
    );
    expect([...s3.objects.keys()].filter((path) => path.endsWith('checkpoint.json'))).toEqual([]);
    await expect(readObjects(AT)).rejects.toThrow('checkpoint.json cannot be read');
  });
});

describe('an export to a bucket says in one line that', () => {
  test.each([
    [
      'the bucket does not exist',
      {},
      's3://nobody/x',
      'NotFound',
      'the bucket does not exist; create it, or choose another (404 NoSuchBucket)',
    ],
    ['the secret is wrong', { AWS_SECRET_ACCESS_KEY: 'other' }, AT, 'Forbidden', 'the credentials are wrong'],
    ['the id is wrong', { AWS_ACCESS_KEY_ID: 'other' }, AT, 'Forbidden', 'the credentials are wrong'],
    ['there are no credentials', { AWS_ACCESS_KEY_ID: '' }, AT, 'Usage', 'set AWS_ACCESS_KEY_ID and'],
    [
      'they may come from a profile',
      { AWS_ACCESS_KEY_ID: '' },
      AT,
      'Usage',
      'eval "$(aws configure export-credentials --format env)"',
    ],
    [
      'the server is unreachable',
      { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' },
      AT,
      'Unavailable',
      '; see AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL',
    ],
    [
      'a token is cut in two',
      { AWS_SESSION_TOKEN: 'a/secret\ntoken' },
      AT,
      'Usage',
      'AWS_SESSION_TOKEN has a',
    ],
    ['the region is none', { AWS_REGION: 'eu west' }, AT, 'Usage', 'AWS_REGION has a blank'],
    [
      'the endpoint is no URL',
      { AWS_ENDPOINT_URL_S3: 'minio:9000' },
      AT,
      'Usage',
      'is no plain http:// or https:// URL',
    ],
    ['the bucket has no name', {}, 's3:///x', 'Usage', 'has no valid name of a bucket'],
    ['a segment leads elsewhere', {}, `s3://${BUCKET}/a/../b`, 'Usage', 'has an empty segment'],
    ['there are no archives', {}, `s3://${BUCKET}/a.tar.gz`, 'Usage', 'names an archive'],
  ])('%s', async (_what, env, at, code, message) => {
    use(env);
    const failure = { code, message: expect.stringContaining(message) };
    await expect(write(at)).rejects.toMatchObject(failure);
    await expect(readObjects(at)).rejects.toMatchObject(failure);
    await expect(write(at)).rejects.not.toThrow(/\n|a\/secret/);
  });

  test.each([
    [301, 'PermanentRedirect', 'Usage', 'it is in another region; set AWS_REGION'],
    [403, 'ExpiredToken', 'Forbidden', 'the session has expired'],
    [418, 'Teapot', 'Failed', 'the server rejects the request (418 Teapot)'],
  ])('the server responds %i %s', async (status, name, code, message) => {
    s3.next.push({ status, code: name });
    await expect(write(AT)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('the certificate of the server is not trusted', async () => {
    const certificates = await makeCertificates(new Date(), []);
    const tls = await startS3Server((listener) => createTlsServer(certificates, listener));
    use({ AWS_ENDPOINT_URL: tls.url.replace('http:', 'https:') });
    const failure = { code: 'Unavailable', message: expect.stringContaining('certificate') };
    await expect(write(AT)).rejects.toMatchObject(failure);
    expect(tls.requests).toEqual([]);
    tls.server.close();
  });
});
