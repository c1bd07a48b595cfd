import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { debianArchives, nodeArchive } from './base-archives.ts';
import { type Architecture, nodeFile, SYSTEM_FILES } from './image-files.ts';
import type { ImageFile } from '../../packages/kubewright/src/image/image-layer.ts';
import type { ImageBase } from './read-image-base.ts';
import { withoutPadding, withoutSymbols } from './without-symbols.ts';

/** What Node's binary and nsenter load. The last two are nsenter's. */
const LIBRARIES = [
  'libc',
  'libm',
  'libdl',
  'libpthread',
  'libgcc_s',
  'libstdc++',
  'libselinux',
  'libpcre2-8',
];
const isLibrary = (name: string): boolean =>
  name.startsWith('ld-linux-') || LIBRARIES.includes(name.slice(0, name.indexOf('.so')));

/** The agents of nodes enter the node with nsenter. No other program of Debian is in the image: there is no shell. */
const isWanted = (path: string): boolean =>
  /^usr\/share\/doc\/[^/]+\/copyright$/.test(path) ||
  path === 'usr/bin/nsenter' ||
  (/^usr\/lib(?:64)?\/(?:[^/]+\/)?[^/]+\.so\.[\d.]+$/.test(path) &&
    isLibrary(path.slice(path.lastIndexOf('/') + 1)));

/** The files below Kubewright's own, from the cache or else from npm and Debian. Each download has to have its hash. */
export async function imageBaseFiles(
  base: ImageBase,
  architecture: Architecture,
): Promise<readonly ImageFile[]> {
  const node = await tarFiles(gunzipSync(readFileSync(nodeArchive(base, architecture))), (path) =>
    ['package/bin/node', 'package/LICENSE'].includes(path),
  );
  const contentOf = (name: string): Uint8Array => {
    const content = node.find(({ path }) => path === name)?.content;
    assert(content instanceof Uint8Array, `the npm package of Node has no ${name}`);
    return content;
  };
  const archives = debianArchives(base, architecture);
  const libraries = await Promise.all(archives.map((path) => tarFiles(debianContent(path), isWanted)));
  return [
    ...SYSTEM_FILES,
    nodeFile(withoutPadding(withoutSymbols(contentOf('package/bin/node')))),
    { path: 'usr/share/doc/node/LICENSE', content: contentOf('package/LICENSE') },
    ...libraries.flat(),
  ];
}

function debianContent(archive: string): Uint8Array {
  const limit = 256 * 1024 * 1024;
  const { status, stdout } = spawnSync('dpkg-deb', ['--fsys-tarfile', archive], { maxBuffer: limit });
  assert(status === 0, `${archive} could not be unpacked`);
  return stdout;
}

/** The files and links of an archive whose path, without a leading `./`, is wanted. */
export async function tarFiles(
  archive: Uint8Array,
  wanted: (path: string) => boolean,
): Promise<readonly ImageFile[]> {
  const entries = await unpackTar(archive, {
    strict: true,
    map: (header) => ({ ...header, name: header.name.replace(/^\.\//, '') }),
  });
  return entries
    .filter(({ header }) => wanted(header.name))
    .map(({ header, data }) => {
      const { name: path, mode = 0o644, linkname, type } = header;
      if (type === 'symlink') return { path, link: linkname ?? '' };
      assert(type === undefined || type === 'file', `${path} is a ${type}`);
      return { path, mode, content: data ?? new Uint8Array() };
    });
}
