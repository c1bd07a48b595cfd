import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, createTransport, findContext } from '@kubewright/client';
import { type JsonObject, parseJson, type Transport } from '@kubewright/kube';
import { captureParts, OBJECT_KEEPERS } from '@kubewright/operators';
import { installDefinitions } from '@kubewright/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { indexOf } from '../../../operators/src/capture/export/export-index.ts';
import { writeExport } from '../../../operators/src/capture/export/write-export.ts';
import {
  BUCKET,
  S3_ENV,
  startS3Server,
  type S3Server,
} from '../../../operators/src/capture/testing/s3-server.ts';
import { type Ran, runLine } from './testing/run-line.ts';
import { type RunningCommand, startCommand } from './testing/start-command.ts';

const AT = `s3://${BUCKET}/shop/monday`;
const TOKEN = 'a/session+token';
const SECRETS = [S3_ENV.AWS_SECRET_ACCESS_KEY, TOKEN, 'a/wrong+secret'];
const OBJECTS: readonly JsonObject[] = ['one', 'odd (name)*~'].map((name) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name },
  data: { big: 9_007_199_254_740_993n },
}));

/** Has the kubeconfig of the cluster, and an export. */
const folder = mkdtempSync(join(tmpdir(), 'kubewright-cli-'));
const local = join(folder, 'local');
let cluster: RunningCommand;
let transport: Transport;
let client: Client;
let s3: S3Server;

async function* objects(): AsyncGenerator<JsonObject, void> {
  yield* OBJECTS;
}

beforeAll(async () => {
  cluster = await startCommand(folder, ['apiserver', '--port', '0'], { HOME: folder });
  const { options } = await findContext({ kubeconfig: join(folder, '.kubewright/kubeconfig') });
  transport = createTransport(options);
  client = createClient(transport);
  const definitions = captureParts.resources.map(({ definition }) => definition);
  await installDefinitions(client, definitions, { fieldManager: 'test' });
  await writeExport(local, await indexOf('nss-mcp-1', objects()), objects());
});
afterAll(async () => {
  await transport.close();
  await cluster.stop();
  rmSync(folder, { recursive: true });
});

const use = (env: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
};

beforeEach(async () => {
  s3 = await startS3Server();
  use({ ...S3_ENV, AWS_SESSION_TOKEN: TOKEN, AWS_ENDPOINT_URL_S3: s3.url });
});
afterEach(() => {
  vi.unstubAllEnvs();
  s3.server.closeAllConnections();
  s3.server.close();
});

/** Runs a command line where the cluster was started. */
async function run(...line: readonly string[]): Promise<Ran> {
  const ran = await runLine(['capture', ...line], folder, { HOME: folder });
  for (const secret of SECRETS) expect(ran.out + ran.err).not.toContain(secret);
  return ran;
}

/** What a command that succeeds prints. */
async function printed(...line: readonly string[]): Promise<string> {
  const { code, out, err } = await run(...line);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

/** The checkpoint that an import makes. */
async function imported(source: string): Promise<string> {
  const [, name] =
    /ManifestCheckpoint (import-\w+) has 2 objects/u.exec(await printed('import', source)) ?? [];
  return name ?? expect.fail('nothing is imported');
}

async function digestOf(source: string): Promise<unknown> {
  return (parseJson(await printed('verify', source, '-o', 'json')) as JsonObject)['sha256'];
}

describe('kubewright capture and a bucket', () => {
  test('export, verify, show and import: its content is that of the cluster', async () => {
    const made = await imported(local);
    expect(await printed('export', made, AT)).toBe(`2 objects of ${made} are in ${AT}\n`);
    expect(s3.objects.size).toBe(OBJECTS.length + 1);
    const shown = parseJson(await printed('show', AT, '-o', 'json'));
    expect(shown).toEqual(expect.arrayContaining([...OBJECTS]));
    const again = await imported(AT);
    expect(again).not.toBe(made);
    const digests = [await digestOf(made), await digestOf(AT), await digestOf(again)];
    expect(new Set(digests)).toEqual(new Set([expect.stringMatching(/^[0-9a-f]{64}$/u)]));
    expect(await run('export', made, AT)).toEqual({
      code: 1,
      out: '',
      err: `kubewright: the folder ${AT} is not empty; name a new one, or replace an export with --overwrite\n`,
    });
    expect(await printed('export', made, AT, '--overwrite')).toBe(`2 objects of ${made} are in ${AT}\n`);
    expect(await digestOf(AT)).toBe(digests[0]);
  });

  test('CAP-129 remove prints what there is, and removes it with --yes', async () => {
    const made = await imported(local);
    await printed('export', made, AT);
    expect(await run('remove', AT)).toEqual({
      code: 1,
      out: `${AT} has 3 files\n`,
      err: 'kubewright: nothing was removed; add --yes to remove all\n',
    });
    expect(s3.objects.size).toBe(3);
    expect(await printed('remove', AT, '--yes')).toBe(`${AT} is removed: 3 files\n`);
    expect(s3.objects.size).toBe(0);
    expect((await run('remove', AT)).err).toBe(`kubewright: there is no export at ${AT}\n`);
    for (const archive of ['shop.tar', 'shop.tgz']) {
      const at = join(folder, archive);
      await printed('export', made, at);
      await printed('export', made, at, '--overwrite');
      expect(await digestOf(at)).toBe(await digestOf(local));
      expect(await printed('remove', at, '--yes')).toBe(`${at} is removed: 1 file\n`);
    }
  });

  test.each([
    ['verify', 'silent'],
    ['verify', 'unfinished'],
    ['export', 'silent'],
  ] as const)('CAP-122 a signal ends %s although the store is %s', async (verb, fault) => {
    const made = await imported(local);
    s3.next.push(fault);
    const stop = new AbortController();
    const line = ['capture', verb, ...(verb === 'export' ? [made] : []), AT];
    const ended = runLine(line, folder, { HOME: folder }, stop.signal);
    await vi.waitFor(() => expect(s3.requests).toHaveLength(1), { timeout: 20_000 });
    stop.abort();
    expect((await ended).code).toBe(130);
    expect(s3.requests).toHaveLength(1);
  });

  const wrong = 'the credentials are wrong; see AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  test.each<[string, Readonly<Record<string, string>>, string, string]>([
    ['the secret is wrong', { AWS_SECRET_ACCESS_KEY: 'a/wrong+secret' }, AT, wrong],
    ['the id is wrong', { AWS_ACCESS_KEY_ID: 'another' }, AT, wrong],
    ['there are no credentials', { AWS_SECRET_ACCESS_KEY: '' }, AT, 'set AWS_ACCESS_KEY_ID and AWS_SECRET'],
    ['the token has a line break', { AWS_SESSION_TOKEN: `${TOKEN}\nmore` }, AT, 'AWS_SESSION_TOKEN has a'],
    [
      'there is no bucket',
      {},
      's3://nobodys/shop',
      'the bucket does not exist; create it, or choose another',
    ],
    ['the endpoint is down', { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' }, AT, '; see AWS_ENDPOINT_URL_S3'],
    ['its URL has a password', { AWS_ENDPOINT_URL_S3: `http://me:${TOKEN}@s3` }, AT, 'is no plain http'],
  ])('where %s, one line says what to do, and no secret is in it', async (_where, env, at, message) => {
    const made = await imported(local);
    const before = await client.list(OBJECT_KEEPERS);
    use(env);
    for (const line of [
      ['export', made, at],
      ['verify', at],
      ['import', at],
    ]) {
      const { code, out, err } = await run(...line);
      expect({ code, out }, line[0]).toEqual({ code: 1, out: '' });
      expect(err, line[0]).toMatch(/^kubewright: .+\n$/u);
      expect(err, line[0]).toContain(message);
    }
    expect((await client.list(OBJECT_KEEPERS)).items).toHaveLength(before.items.length);
  });
});
