import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildImage } from '../../tools/release/build-image.ts';
import { nodeFile, SYSTEM_FILES } from '../../tools/release/image-files.ts';
import type { ImageFile } from '../../packages/kubewright/src/image/image-layer.ts';
import { runLine } from '../../packages/kubewright/src/cli/testing/run-line.ts';
import { namesIn, unpackImage } from './unpack-image.ts';

const created = '2026-12-01T00:00:00Z';

describe('the image of a release', () => {
  const command = {
    manifest: { name: 'kubewright', version: '1.2.3' },
    file: 'kubewright-1.2.3.tgz',
    files: new Map([['bin/kubewright.mjs', Buffer.from('console.log("it runs")\n')]]),
  };
  const base: readonly ImageFile[] = [...SYSTEM_FILES, nodeFile(Buffer.from('a binary'))];
  const build = (amd64 = base) => buildImage({ command, created, bases: { amd64, arm64: base } });

  test('is an archive of the OCI layout for both architectures, of which each digest and size is right', async () => {
    const { archive } = await build();
    const { name, platforms } = await unpackImage(archive);
    expect(name).toBe('docker.io/library/kubewright:1.2.3');
    expect(platforms.map(({ architecture }) => architecture)).toEqual(['amd64', 'arm64']);
    for (const { architecture, config } of platforms)
      expect(config).toMatchObject({ architecture, os: 'linux', created });
  });

  test('runs the command line without a shell, as a user that is not root', async () => {
    const { platforms } = await unpackImage((await build()).archive);
    for (const { config, layers } of platforms) {
      expect(config.config).toMatchObject({
        User: '65532:65532',
        Entrypoint: ['/usr/local/bin/node', '/opt/kubewright/bin/kubewright.mjs'],
      });
      const names = await namesIn(layers);
      expect(names).toEqual(
        expect.arrayContaining(['opt/kubewright/bin/kubewright.mjs', 'etc/passwd', 'tmp/']),
      );
      expect(names.filter((path) => /\/(?:ba|da|z)?sh$|busybox/.test(path))).toEqual([]);
    }
  });

  test('has the same digest each time, whatever the order of its files', async () => {
    const first = await build();
    expect(await build(base.toReversed())).toEqual(first);
    const other = await build([...base, { path: 'etc/motd', content: 'other' }]);
    expect(other.digest).not.toBe(first.digest);
  });

  test('is a base for the image of any program, for all of its architectures', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubewright-image-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'base.tar'), (await build()).archive);
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/main.cjs'), 'console.log("mine")\n');
    const line = [
      'generate',
      'image',
      'dist',
      '--base',
      'base.tar',
      '--name',
      'shop/mine:2.0',
      '--out',
      'mine.tar',
    ];
    const made = await runLine(line, folder);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toMatch(/^mine\.tar: docker\.io\/shop\/mine:2\.0 for amd64, arm64, \d+\.\d MB, sha256:/);
    const { name, platforms } = await unpackImage(readFileSync(join(folder, 'mine.tar')));
    expect(name).toBe('docker.io/shop/mine:2.0');
    expect(platforms.map(({ architecture }) => architecture)).toEqual(['amd64', 'arm64']);
    for (const { config, layers } of platforms) {
      const Entrypoint = ['/usr/local/bin/node', '/opt/app/main.cjs'];
      expect(config.config).toMatchObject({ User: '65532:65532', Entrypoint });
      expect(await namesIn(layers)).toEqual(
        expect.arrayContaining([
          'opt/kubewright/bin/kubewright.mjs',
          'opt/app/main.cjs',
          'usr/local/bin/node',
        ]),
      );
    }
  });

  test('is no base where it is no archive of an image', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubewright-image-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'main.cjs'), '');
    writeFileSync(join(folder, 'base.tar'), 'FROM node:22');
    const line = ['generate', 'image', '.', '--base', 'base.tar', '--name', 'mine', '--out', 'mine.tar'];
    const { code, err } = await runLine(line, folder);
    expect(code).toBe(1);
    expect(err).toMatch(/^kubewright: .*base\.tar is no archive of the OCI image layout: .*\n$/);
  });
});
