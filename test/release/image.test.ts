import { describe, expect, test } from 'vitest';
import { buildImage } from '../../tools/release/build-image.ts';
import { nodeFile, SYSTEM_FILES } from '../../tools/release/image-files.ts';
import type { ImageFile } from '../../tools/release/image-layer.ts';
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
});
