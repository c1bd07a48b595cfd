import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { issueCertificate, makeAuthority } from '../../../../test/support/certificates.ts';
import { silentLogger } from '../log/logger.ts';
import { createCertificateFolder } from './certificate-folder.ts';

let folder: string;
let stop: AbortController;
let ended: Promise<void>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubewright-certificates-'));
  stop = new AbortController();
  ended = Promise.resolve();
});
afterEach(async () => {
  stop.abort();
  await ended;
  rmSync(folder, { recursive: true });
});

async function issued(): Promise<{ readonly cert: string; readonly key: string }> {
  const authority = await makeAuthority('certificates');
  return issueCertificate(authority, { subject: [{ CN: ['webhook'] }], usage: 'server' });
}

function write(name: string, { cert, key }: { readonly cert: string; readonly key: string }): string {
  const to = join(folder, name);
  mkdirSync(to);
  writeFileSync(join(to, 'tls.crt'), cert);
  writeFileSync(join(to, 'tls.key'), key);
  return to;
}

test('a certificate in a folder is used when it is there, and again when a mounted Secret changes', async () => {
  const [first, second] = [await issued(), await issued()];
  const mounted = join(folder, 'mounted');
  const source = createCertificateFolder({ folder: mounted, log: silentLogger });
  ended = source.start(stop.signal);
  const current = () => expect.poll(() => source.current()?.cert, { timeout: 20_000 });
  expect(source.current()).toBeUndefined();
  symlinkSync(write('1', first), mounted);
  await current().toBe(first.cert);
  expect(source.current()?.notAfter).toBeGreaterThan(0);
  // A certificate with the key of another is half a change.
  const changed = new Promise<void>((resolve) => void source.onChange(resolve));
  writeFileSync(join(mounted, 'tls.crt'), second.cert);
  symlinkSync(write('2', second), join(folder, 'next'));
  renameSync(join(folder, 'next'), mounted);
  await changed;
  expect(source.current()).toMatchObject(second);
});

test('a file with segments closes every path without one, and stays in force when it is spoilt', async () => {
  const [a, b] = ['a', 'b'].map((digit) => `kw-${digit.repeat(32)}`);
  const mounted = write('1', await issued());
  const problems: string[] = [];
  const log = { ...silentLogger, error: (message: string) => void problems.push(message) };
  const source = createCertificateFolder({ folder: mounted, log });
  ended = source.start(stop.signal);
  const admitted = () => [undefined, a, b].map((segment) => source.paths?.admits('/mutate', segment));
  const becomes = (expected: readonly boolean[]) =>
    expect.poll(admitted, { timeout: 20_000 }).toEqual(expected);
  await expect.poll(() => source.current(), { timeout: 20_000 }).toBeDefined();
  expect(admitted()).toEqual([true, false, false]);
  writeFileSync(join(mounted, 'path-segments'), `${a}\n${b}\n`);
  await becomes([false, true, true]);
  writeFileSync(join(mounted, 'path-segments'), b ?? '');
  await becomes([false, false, true]);
  rmSync(join(mounted, 'path-segments'));
  await expect.poll(() => problems, { timeout: 20_000 }).toHaveLength(1);
  expect(admitted()).toEqual([false, false, true]);
});
