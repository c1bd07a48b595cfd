import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson, type JsonObject } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BUCKET, S3_ENV, startS3Server, type S3Server } from '../testing/s3-server.ts';
import { indexOf } from './export-index.ts';
import { findExport } from './find-export.ts';
import { s3Folder } from './s3-folder.ts';
import { configMap, each, readObjects, removeObjects, writeObjects } from './testing/write-objects.ts';
import { writeExport } from './write-export.ts';

const OBJECTS = ['a', 'b', 'c'].map((name) => configMap(name));
const OTHERS = ['a', 'b', 'd'].map((name) => configMap(name, { of: 'another' }));
const AT = `s3://${BUCKET}/shop/monday`;
const ROOT = `/${BUCKET}/shop/monday`;

const write = (at: string, objects: readonly JsonObject[] = OBJECTS): Promise<void> =>
  writeObjects(at, objects);

let s3: S3Server;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  s3 = await startS3Server();
  env = { ...S3_ENV, AWS_ENDPOINT_URL_S3: s3.url, AWS_REGION: 'eu-central-1', AWS_SESSION_TOKEN: '' };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
  s3.server.closeAllConnections();
  s3.server.close();
});
const folder = (limits: { silentMs?: number; longestMs?: number; signal?: AbortSignal }) =>
  s3Folder(AT, env, limits);
const bodyOf = (path: string): string => s3.objects.get(`${ROOT}/${path}`)?.toString() ?? '';

describe('two exports to one prefix at a time', () => {
  test.each([
    ['CAP-121 of a store that creates an object only once: exactly one succeeds, 20 times of 20', true],
    [
      'CAP-121 of a store that ignores such conditions: never do two succeed, and what is there verifies',
      false,
    ],
  ])('%s', async (_title, conditions) => {
    s3.honours.conditions = conditions;
    let successes = 0;
    for (let round = 0; round < 20; round++) {
      const at = `${AT}-${round}`;
      const both = await Promise.allSettled([write(at), write(at, OTHERS)]);
      const done = both.filter(({ status }) => status === 'fulfilled').length;
      if (conditions) expect(done).toBe(1);
      expect(done).toBeLessThanOrEqual(1);
      if (done === 1) expect(await readObjects(at)).toHaveLength(3);
      successes += done;
    }
    expect(successes).toBeGreaterThanOrEqual(conditions ? 20 : 0);
  });

  test('CAP-121 the later one says that one is under way, and what to do', async () => {
    s3.objects.set(`${ROOT}/export-claim.json`, Buffer.from('{}'));
    await expect(write(AT)).rejects.toMatchObject({
      code: 'AlreadyExists',
      message: expect.stringContaining(
        'is under way, or was interrupted; wait for it, replace it with --overwrite',
      ),
    });
  });

  test('CAP-121 one that was removed while it was written does not succeed', async () => {
    const slowly = async function* (): AsyncGenerator<JsonObject, void> {
      yield* OBJECTS;
      await removeObjects(AT);
    };
    const index = await indexOf('nss-mcp-1', each(OBJECTS));
    await expect(writeExport(AT, index, slowly())).rejects.toThrow('was removed or replaced while it was');
    expect(bodyOf('checkpoint.json')).toBe('');
  });
});

describe('what a store receives', () => {
  test('CAP-123 has both checksums, which buckets with Object Lock want', async () => {
    await write(AT);
    expect(await readObjects(AT)).toHaveLength(3);
  });

  test('CAP-123 is rejected in the words of the server, in one line', async () => {
    const message = 'Content-MD5 OR x-amz-checksum- HTTP header is\nrequired for Put Object requests';
    const line = '(400 InvalidRequest: Content-MD5 OR x-amz-checksum- HTTP header is required for Put';
    s3.next.push({ status: 400, code: 'InvalidRequest', message });
    await expect(folder({}).write({ path: 'y', content: 'y' })).rejects.toThrow(line);
  });

  test.each([true, false])(
    'CAP-124 is never another body that counts as written, whether the store checks it (%s)',
    async (checksums) => {
      s3.honours.checksums = checksums;
      s3.next.push('damage');
      await expect(folder({}).write({ path: 'x', content: 'content' })).rejects.toThrow(/damaged on the way/);
    },
  );
});

describe('an export to another kind of place', () => {
  test.each([
    ['S3://backups/shop', 'write s3://BUCKET/PREFIX'],
    ['s3:/backups/shop', 'write s3://BUCKET/PREFIX'],
    ['s3:backups', 'write s3://BUCKET/PREFIX'],
    ['https://backups.s3.amazonaws.com/shop', 'and the server in AWS_ENDPOINT_URL_S3'],
    ['gs://backups/shop.tar.gz', 'AWS_ENDPOINT_URL_S3=https://storage.googleapis.com'],
    ['file:///tmp/shop', 'write the path alone'],
    ['azure://backups/shop', 'for a store that speaks S3'],
  ])('CAP-125 %s is an error that says what to write, and no folder', async (at, message) => {
    const before = process.cwd();
    const inside = mkdtempSync(join(tmpdir(), 'kubewright-export-'));
    process.chdir(inside);
    try {
      const failure = { code: 'Usage', message: expect.stringContaining(message) };
      await expect(write(at)).rejects.toMatchObject(failure);
      await expect(readObjects(at)).rejects.toMatchObject(failure);
      expect(readdirSync(inside)).toEqual([]);
    } finally {
      process.chdir(before);
      rmSync(inside, { recursive: true });
    }
  });
});

describe('a server that', () => {
  const page = (rest: string): { body: string } => ({
    body: `<ListBucketResult><Contents><Key>shop/monday/x</Key></Contents>${rest}</ListBucketResult>`,
  });
  const list = async (): Promise<void> => {
    for await (const _ of folder({}).list());
  };

  test.each([
    [
      'goes on at an empty token',
      ['<IsTruncated>true</IsTruncated><NextContinuationToken></NextContinuationToken>'],
    ],
    ['truncates without a token', ['<IsTruncated>true</IsTruncated>']],
    [
      'gives the same token again',
      Array.from({ length: 2 }, () => '<NextContinuationToken>t</NextContinuationToken>'),
    ],
  ])('CAP-126 %s: the list is neither endless nor complete', async (_what, pages) => {
    s3.next.push(...pages.map(page));
    await expect(list()).rejects.toThrow('the server does not list its objects to the end');
  });

  test.each([
    ['is silent', 'silent', 'no response for 0 seconds'],
    ['is silent within a body', 'unfinished', 'no response for 0 seconds'],
    ['sends a body without an end', 'endless', 'no end of the response in 0 seconds'],
  ] as const)('CAP-127 %s is given up, with a reason', async (_what, fault, reason) => {
    s3.next.push(...Array.from({ length: 10 }, () => fault));
    const limits = {
      silentMs: fault === 'endless' ? 60_000 : 20,
      longestMs: fault === 'endless' ? 20 : 60_000,
    };
    await expect(folder(limits).read('x')).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining(reason),
    });
  });

  test.each(['silent', 'unfinished', 'endless'] as const)(
    'CAP-122 is %s holds up nobody who is interrupted',
    async (fault) => {
      const interrupt = new AbortController();
      s3.next.push(fault);
      const reading = folder({ signal: interrupt.signal }).read('x');
      await vi.waitFor(() => expect(s3.requests).toHaveLength(1));
      interrupt.abort();
      await expect(reading).rejects.toBe(interrupt.signal.reason);
      expect(s3.requests).toHaveLength(1);
    },
  );

  test('CAP-128 resets connections, is overloaded, or whose response is lost: the export goes on', async () => {
    s3.next.push('reset', 'unfinished', { status: 503, code: 'SlowDown' }, 'reset', {
      status: 500,
      code: 'x',
    });
    s3.server.on('request', (_request, response) => {
      // A response that breaks off, not one that is silent.
      if (s3.requests.length === 1) setImmediate(() => response.socket?.destroy());
    });
    await write(AT);
    expect(await readObjects(AT)).toHaveLength(3);
  });

  test('CAP-128 has created an object whose response was lost does not make the retry a conflict', async () => {
    const file = { path: 'x', content: 'content' };
    expect(await folder({}).create(file)).toBe(true);
    expect(await folder({}).create(file)).toBe(true);
    expect(await folder({}).create({ ...file, content: 'other' })).toBe(false);
  });
});

describe('what an interrupted export has left', () => {
  const interrupt = async (): Promise<void> => {
    const index = await indexOf('nss-mcp-1', each(OBJECTS));
    const half = writeExport(AT, index, each([...OBJECTS.slice(0, 2), configMap('other')]));
    await expect(half).rejects.toThrow(
      'what was written stays: "kubewright capture remove s3://backups/shop/monday" removes it',
    );
    await expect(write(AT)).rejects.toThrow('was interrupted');
  };

  test('CAP-129 goes as a whole, and then an export can be written', async () => {
    await interrupt();
    s3.objects.set(`${ROOT}-other/x`, Buffer.from('stays'));
    expect(await removeObjects(AT)).toBeGreaterThanOrEqual(3);
    expect([...s3.objects.keys()]).toEqual([`${ROOT}-other/x`]);
    expect(await findExport(AT)).toBeUndefined();
    await write(AT);
    expect(await readObjects(AT)).toHaveLength(3);
  });

  test('CAP-129 is not removed from among the files of others', async () => {
    s3.objects.set(`${ROOT}/photo.jpg`, Buffer.from('mine'));
    await expect(removeObjects(AT)).rejects.toThrow('is no export of a checkpoint; nothing was removed');
    expect(bodyOf('photo.jpg')).toBe('mine');
  });
});

describe('an export beside other things under its prefix', () => {
  test('CAP-130 verifies with other exports below it, complete or not, and with objects that stand for folders', async () => {
    await write(AT);
    await write(`${AT}/inner`);
    await write(`${AT}/deep/er`, OTHERS);
    s3.objects.set(`${ROOT}/`, Buffer.of());
    s3.objects.set(`${ROOT}/inner/`, Buffer.of());
    s3.objects.set(`${ROOT}/half/export-claim.json`, Buffer.from('{}'));
    s3.objects.set(`${ROOT}/half/ConfigMap.v1.core/a.json`, Buffer.from('{}'));
    for (const at of [AT, `${AT}/inner`, `${AT}/deep/er`]) expect(await readObjects(at)).toHaveLength(3);
    await removeObjects(AT);
    expect(await readObjects(`${AT}/inner`)).toHaveLength(3);
  });

  test('CAP-130 has a prefix that is short enough, and no backslash', async () => {
    await expect(write(`s3://${BUCKET}/${'x'.repeat(1010)}`)).rejects.toThrow('is longer than a key may be');
    await expect(write(`s3://${BUCKET}/a\\b`)).rejects.toThrow('has a backslash');
  });
});

test('CAP-131 an export keeps sixteen requests in flight, in both directions', async () => {
  const many = Array.from({ length: 32 }, (_, index) => configMap(`many-${index}`));
  const waiting: (() => void)[] = [];
  const gated = await startS3Server((listener) =>
    createServer((request, response) => {
      const serve = (): void => listener(request, response);
      if (request.url?.includes('many-') !== true) return serve();
      if (waiting.push(serve) === 16) for (const each of waiting.splice(0)) each();
    }),
  );
  vi.stubEnv('AWS_ENDPOINT_URL_S3', gated.url);
  await write(AT, many);
  expect(await readObjects(AT)).toEqual(many.map(canonicalJson));
  gated.server.closeAllConnections();
  gated.server.close();
});
